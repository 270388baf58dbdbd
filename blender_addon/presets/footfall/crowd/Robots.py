# SPDX-License-Identifier: GPL-3.0-or-later
"""All alike: one speed, one size, on wheels that go only where they face."""

import bpy

crowd = bpy.context.scene.footfall.crowds[bpy.context.scene.footfall.active_crowd_index]

crowd.speed.mean = 1.2
crowd.speed.sd = 0.0
crowd.radius = 0.3
crowd.radius_variation = 0.0
crowd.avoidance = "ORCA"
crowd.flocking.separation = 0.0
crowd.flocking.alignment = 0.0
crowd.flocking.cohesion = 0.0
crowd.flocking.distance = 3.0
crowd.groups.least = 1
crowd.groups.most = 1
crowd.body = "WHEELS"
crowd.delay = 0.0
crowd.time_gap = 0.5
crowd.personal_space = 0.5
crowd.following.keep_to_line = 1.0
crowd.following.comfort = 0.5
