# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bake may change in a scene."""


def state(make, street):
    """All that must be as before when a bake does not come to its end."""
    keys = {
        each.name: [tuple(key.co) for curve in make.curves(each, "location") for key in curve.keyframe_points]
        for each in street.baked()
    }
    settings = street.scene.footfall
    return make.data_blocks(), keys, [crowd.baked for crowd in settings.crowds], settings.report
