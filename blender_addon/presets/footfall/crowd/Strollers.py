# SPDX-License-Identifier: GPL-3.0-or-later
# pyright: reportAttributeAccessIssue=false
"""They have time: slow, each at a pace of their own, with room round them."""

import bpy

crowd = bpy.context.scene.footfall.crowds[bpy.context.scene.footfall.active_crowd_index]

crowd.speed.mean = 1.1
crowd.speed.sd = 0.18
crowd.radius = 0.25
crowd.radius_variation = 0.08
crowd.avoidance = "ORCA"
