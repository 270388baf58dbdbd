# SPDX-License-Identifier: GPL-3.0-or-later
"""What people do besides walking: places, seats, and what they wait for, read from the user's objects."""
