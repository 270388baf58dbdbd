# SPDX-License-Identifier: GPL-3.0-or-later
"""Where people stand, sit and talk at places, and bystanders: no routes and no time steps."""
