# SPDX-License-Identifier: GPL-3.0-or-later
"""What build_addon.py is made of: environments, packaging, Blender, tests. Standard library only; never in the zip."""
