# SPDX-License-Identifier: GPL-3.0-or-later
"""Where people stop: who visits which place when, where they stand there, and how they go on."""
