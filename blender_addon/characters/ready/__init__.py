# SPDX-License-Identifier: GPL-3.0-or-later
"""What is seen of characters made ready: their feet, their still poses, their rows in the cast table, their walk."""
