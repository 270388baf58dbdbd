# SPDX-License-Identifier: GPL-3.0-or-later
"""What the command line does beyond a bake: settings by words, variants side by side, a sheet of pictures."""
