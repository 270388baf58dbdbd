# SPDX-License-Identifier: GPL-3.0-or-later
"""The built-in figures: skeleton, gait, rig and materials."""
