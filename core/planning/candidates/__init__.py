# SPDX-License-Identifier: GPL-3.0-or-later
"""Families of candidate courses d(s), their cost and clearance, and the explanation of a choice."""
