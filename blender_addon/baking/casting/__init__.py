# SPDX-License-Identifier: GPL-3.0-or-later
"""From one crowd to its characters: who plays whom, and the keys that move them."""
