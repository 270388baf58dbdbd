# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read of single objects: lines, places, motions, heroes; and what is reported about them."""
