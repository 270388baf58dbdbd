# SPDX-License-Identifier: GPL-3.0-or-later
"""They know their way and are in a hurry: quick, close, little patience."""

import bpy

crowd = bpy.context.scene.footfall.crowds[bpy.context.scene.footfall.active_crowd_index]

crowd.speed.mean = 1.49
crowd.speed.sd = 0.2
crowd.radius = 0.235
crowd.radius_variation = 0.06
crowd.avoidance = "HUMAN_LIKE"
crowd.flocking.separation = 0.0
crowd.flocking.alignment = 0.0
crowd.flocking.cohesion = 0.0
crowd.flocking.distance = 3.0
crowd.groups.least = 1
crowd.groups.most = 1
crowd.body = "PERSON"
crowd.delay = 0.0
crowd.time_gap = 0.4
crowd.personal_space = 0.35
crowd.following.keep_to_line = 0.5
crowd.following.comfort = 0.25
