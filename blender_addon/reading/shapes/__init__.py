# SPDX-License-Identifier: GPL-3.0-or-later
"""From meshes to footprints: outlines and walls. Only `meshes` reads Blender; the rest is numpy."""
