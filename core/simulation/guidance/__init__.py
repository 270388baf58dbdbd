# SPDX-License-Identifier: GPL-3.0-or-later
"""Where each person wants to go: plans, aims, detours and new routes."""
