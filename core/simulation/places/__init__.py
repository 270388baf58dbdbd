# SPDX-License-Identifier: GPL-3.0-or-later
"""Where people stand, sit and talk at places, and who is simply there: no routes and no time steps."""
