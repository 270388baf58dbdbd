# SPDX-License-Identifier: GPL-3.0-or-later
"""Crowds that are shown by one object with geometry nodes."""
