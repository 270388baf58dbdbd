# SPDX-License-Identifier: GPL-3.0-or-later
"""What people do besides walking: which clips they play, on which seats, and where they look."""
