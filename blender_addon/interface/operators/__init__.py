# SPDX-License-Identifier: GPL-3.0-or-later
"""What the animator presses: one family of operators a file."""
