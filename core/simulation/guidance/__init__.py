# SPDX-License-Identifier: GPL-3.0-or-later
"""Preferred velocities along routes: plans, aims, detours and new routes, and the doors on them."""
