# SPDX-License-Identifier: GPL-3.0-or-later
"""Before the first frame: who takes part, where they start, and which routes they take."""
