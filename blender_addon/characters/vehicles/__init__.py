# SPDX-License-Identifier: GPL-3.0-or-later
"""Vehicles: the built-in models, and what turns on them while they drive: wheels, pedals and the legs on them."""
