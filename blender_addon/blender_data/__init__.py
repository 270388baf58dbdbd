# SPDX-License-Identifier: GPL-3.0-or-later
"""The one door to what differs between Blender versions: animation, NLA, nodes, evaluation, handlers."""
