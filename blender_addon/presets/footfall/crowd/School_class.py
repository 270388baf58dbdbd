# SPDX-License-Identifier: GPL-3.0-or-later
"""Small, slow, and close together."""

import bpy

crowd = bpy.context.scene.footfall.crowds[bpy.context.scene.footfall.active_crowd_index]

crowd.speed.mean = 1.0
crowd.speed.sd = 0.15
crowd.radius = 0.18
crowd.radius_variation = 0.1
crowd.avoidance = "ORCA"
crowd.flocking.separation = 0.4
crowd.flocking.alignment = 0.5
crowd.flocking.cohesion = 0.6
crowd.flocking.distance = 3.0
crowd.groups.least = 2
crowd.groups.most = 4
crowd.body = "PERSON"
crowd.delay = 0.0
crowd.time_gap = 0.4
crowd.personal_space = 0.35
crowd.following.keep_to_line = 0.3
crowd.following.comfort = 0.5
