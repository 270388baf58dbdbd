# SPDX-License-Identifier: GPL-3.0-or-later
"""The user's and the built-in characters made ready: clips, strides, looks, vehicles."""
