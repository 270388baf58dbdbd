# SPDX-License-Identifier: GPL-3.0-or-later
# pyright: reportAttributeAccessIssue=false
"""All alike: one speed, one size."""

import bpy

crowd = bpy.context.scene.footfall.crowds[bpy.context.scene.footfall.active_crowd_index]

crowd.speed.mean = 1.2
crowd.speed.sd = 0.0
crowd.radius = 0.3
crowd.radius_variation = 0.0
crowd.avoidance = "ORCA"
