# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators about single people who are baked: who is that, why do they do this, and who is meant."""
