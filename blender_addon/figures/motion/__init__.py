# SPDX-License-Identifier: GPL-3.0-or-later
"""How the built-in figures move: their gaits, and what they do besides walking, from key poses."""
