# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of trajectories, and the report made of them."""

from .measure import ReportMemory, make_report
from .presentation import report_lines, report_to_json

__all__ = ["ReportMemory", "make_report", "report_lines", "report_to_json"]
