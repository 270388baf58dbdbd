# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading a recorded run: where everybody was, why, and live routes while something is dragged."""
