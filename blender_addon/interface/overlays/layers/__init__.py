# SPDX-License-Identifier: GPL-3.0-or-later
"""One overlay a file, named as its row in the catalogue: `draw(view)` makes its marks, `OVERLAY` holds it.

`overlay` says what an overlay is, and `marks` what it may draw.
"""
