# SPDX-License-Identifier: GPL-3.0-or-later
"""What lets Blender fill a scene and play what the core planned: the only place that imports bpy."""
