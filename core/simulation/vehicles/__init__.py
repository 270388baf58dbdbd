# SPDX-License-Identifier: GPL-3.0-or-later
"""The step of vehicles and the roads they drive on. Imports nothing of pedestrians."""
