# SPDX-License-Identifier: GPL-3.0-or-later
"""Car following (IDM), lane change (MOBIL), right of way: models without state."""
