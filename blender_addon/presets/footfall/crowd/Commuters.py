# SPDX-License-Identifier: GPL-3.0-or-later
# pyright: reportAttributeAccessIssue=false
"""They know their way and are in a hurry: quick, close, little patience."""

import bpy

crowd = bpy.context.scene.footfall.crowds[bpy.context.scene.footfall.active_crowd_index]

crowd.speed.mean = 1.49
crowd.speed.sd = 0.2
crowd.radius = 0.235
crowd.radius_variation = 0.06
crowd.avoidance = "ORCA"
