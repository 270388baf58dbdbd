# SPDX-License-Identifier: GPL-3.0-or-later
"""What people do besides walking, as the user asks for it: places, stops at them, and activities."""
