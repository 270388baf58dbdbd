# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips: which ones an armature has, what their names say, how far they carry a body, and how they play blended."""
