# SPDX-License-Identifier: GPL-3.0-or-later
"""What a scene is read and checked with, and what needs no other part of it: terrain, kinds of vehicles, choices."""
