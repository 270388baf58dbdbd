# SPDX-License-Identifier: GPL-3.0-or-later
"""What the animator presses: one topic a file."""
