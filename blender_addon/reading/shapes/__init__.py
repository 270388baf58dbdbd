# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes to outlines. Only `meshes` reads Blender; the rest is numpy."""
