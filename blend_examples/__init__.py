# SPDX-License-Identifier: GPL-3.0-or-later
"""Example scenes: scripts that can be run by themselves, and that the add-on's panel opens."""
