# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs that can be planted: found, observed in clips, and posed by inverse kinematics."""
