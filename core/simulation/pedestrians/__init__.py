# SPDX-License-Identifier: GPL-3.0-or-later
"""The step of people: guidance, behaviours, avoidance, limits, move; who enters, and what is reported of them."""
