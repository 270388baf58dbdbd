# SPDX-License-Identifier: GPL-3.0-or-later
"""The reference path itself: from drawn points to arc length s and lateral offset d, and back."""
