# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips for characters that have none: whose bones are those of a body like ours, and the figures' gait for them."""
