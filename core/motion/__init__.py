# SPDX-License-Identifier: GPL-3.0-or-later
"""From trajectories to what a character's body needs: stride, heading."""
