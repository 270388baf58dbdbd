# SPDX-License-Identifier: GPL-3.0-or-later
"""Re-bakes: which frames of an earlier run still hold. Knows everybody; nothing below knows it."""
