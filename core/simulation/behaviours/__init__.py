# SPDX-License-Identifier: GPL-3.0-or-later
"""What changes the preferred velocity because of others: one behaviour a file, one protocol, one ordered tuple."""
