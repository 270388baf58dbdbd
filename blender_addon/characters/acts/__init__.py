# SPDX-License-Identifier: GPL-3.0-or-later
"""What characters play besides walking: their clips for it, by name or made, and the strips and keys that play them."""
