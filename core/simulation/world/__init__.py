# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of everybody and what stands and moves round them. Only these files ask questions of the ground."""
