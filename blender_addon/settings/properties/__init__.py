# SPDX-License-Identifier: GPL-3.0-or-later
"""What all property groups share: how settings are declared and identified, and what happens when one changes."""
