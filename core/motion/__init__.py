# SPDX-License-Identifier: GPL-3.0-or-later
"""From trajectories to the motion of a character's body: stride, gait, heading, legs and planted feet."""
