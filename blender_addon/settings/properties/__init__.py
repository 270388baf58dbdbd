# SPDX-License-Identifier: GPL-3.0-or-later
"""How settings are declared, told apart and followed: what every property group is made of."""
