# SPDX-License-Identifier: GPL-3.0-or-later
"""What the animator sees in the sidebar: one topic a file."""
