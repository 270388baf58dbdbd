# SPDX-License-Identifier: GPL-3.0-or-later
"""Families of candidate courses d(s), their costs and clearance, the settings they share, and why one was chosen."""
