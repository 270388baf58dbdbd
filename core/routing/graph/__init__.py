# SPDX-License-Identifier: GPL-3.0-or-later
"""The medial axis as a graph, the anchors of queries in it, and searches on it."""
