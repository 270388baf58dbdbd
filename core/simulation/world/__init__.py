# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of everybody, and their environment. Only these files query the ground."""
