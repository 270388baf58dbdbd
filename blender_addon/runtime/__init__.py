# SPDX-License-Identifier: GPL-3.0-or-later
"""What lives while Blender runs: the running bake, whether it is up to date, and what is remembered of the last one."""
