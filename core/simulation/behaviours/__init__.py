# SPDX-License-Identifier: GPL-3.0-or-later
"""What changes people's preferred velocities: one behaviour a file, and what several of them need to know."""
