# SPDX-License-Identifier: GPL-3.0-or-later
"""What the animator sees and presses: settings, panels, operators, and whether a bake is out of date."""
