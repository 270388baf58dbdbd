# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by the Python of a bpy environment: install the zip named on the command line, as a user would, and enable it."""

import os
import sys

import bpy

# isort: split
import addon_utils  # can be found once bpy is there

NAME = "bl_ext.user_default.footfall"


def install(archive: str) -> bool:
    """Install and enable the extension; leave it unregistered, for Blender ends badly otherwise.

    Args:
        archive: path of the zip.

    Returns:
        Whether it is enabled now.
    """
    bpy.ops.extensions.package_install_files(
        filepath=archive, repo="user_default", enable_on_install=True, overwrite=True
    )
    _, enabled = addon_utils.check(NAME)
    addon_utils.disable(NAME)
    return enabled


if __name__ == "__main__":
    succeeded = install(sys.argv[-1])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0 if succeeded else 1)  # bpy can hang or crash while Python takes it down
