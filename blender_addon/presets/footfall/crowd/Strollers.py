# SPDX-License-Identifier: GPL-3.0-or-later
"""They have time: slow, each at a pace of their own, with room round them."""

import bpy

crowd = bpy.context.scene.footfall.crowds[bpy.context.scene.footfall.active_crowd_index]

crowd.speed.mean = 1.1
crowd.speed.sd = 0.18
crowd.radius = 0.25
crowd.radius_variation = 0.08
crowd.avoidance = "HUMAN_LIKE"
crowd.flocking.separation = 0.0
crowd.flocking.alignment = 0.0
crowd.flocking.cohesion = 0.0
crowd.flocking.distance = 3.0
crowd.groups.least = 1
crowd.groups.most = 3
crowd.body = "PERSON"
crowd.delay = 0.0
crowd.time_gap = 0.7
crowd.personal_space = 0.6
crowd.following.keep_to_line = 0.2
crowd.following.comfort = 0.85
