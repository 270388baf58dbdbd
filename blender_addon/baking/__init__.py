# SPDX-License-Identifier: GPL-3.0-or-later
"""From trajectories to keyframed characters, which the bake owns."""
