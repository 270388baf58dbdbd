# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on: it reads the Blender scene, shows the sidebar, and writes what the core simulates as keyframes."""
