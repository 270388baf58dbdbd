# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet: when they stand in a clip, how they stay where they were set down, and how somebody is seen to walk."""
