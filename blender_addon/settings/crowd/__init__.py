# SPDX-License-Identifier: GPL-3.0-or-later
"""The property groups of one crowd."""
