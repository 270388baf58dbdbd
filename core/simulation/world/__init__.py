# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of everybody, what is recorded of them, their random draws, and the ground and obstacles round them."""
