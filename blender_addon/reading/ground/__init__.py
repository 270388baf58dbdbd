# SPDX-License-Identifier: GPL-3.0-or-later
"""Heights of the ground under routes and feet."""
