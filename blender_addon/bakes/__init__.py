# SPDX-License-Identifier: GPL-3.0-or-later
"""What belongs to a bake in the file: ownership, roles, people edited by hand."""
