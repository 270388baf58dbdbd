# SPDX-License-Identifier: GPL-3.0-or-later
"""The clips of a character and its legs: found in the armature, observed in the clips, posed by inverse kinematics."""
