# SPDX-License-Identifier: GPL-3.0-or-later
"""What the animator sees and presses: panels, operators, overlays, presets and translations."""
