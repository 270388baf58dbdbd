# SPDX-License-Identifier: GPL-3.0-or-later
"""How bodies carry out what people have decided: limits, delays, turning, what keeps them apart, and smoothing."""
