# SPDX-License-Identifier: GPL-3.0-or-later
"""What people decide: guidance, behaviours, avoidance and headway; who enters, and what is reported of them."""
