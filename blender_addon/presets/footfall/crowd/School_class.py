# SPDX-License-Identifier: GPL-3.0-or-later
# pyright: reportAttributeAccessIssue=false
"""Small, slow, and close together."""

import bpy

crowd = bpy.context.scene.footfall.crowds[bpy.context.scene.footfall.active_crowd_index]

crowd.speed.mean = 1.0
crowd.speed.sd = 0.15
crowd.radius = 0.18
crowd.radius_variation = 0.1
crowd.avoidance = "ORCA"
