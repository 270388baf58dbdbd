# SPDX-License-Identifier: GPL-3.0-or-later
"""What lives while Blender runs: the running bake, freshness, caches. The only module-level state of the add-on."""
