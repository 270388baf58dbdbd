# SPDX-License-Identifier: GPL-3.0-or-later
"""What people do when something happens: who reacts to which trigger when, and how."""
