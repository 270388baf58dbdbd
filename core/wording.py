# SPDX-License-Identifier: GPL-3.0-or-later
"""How what is composed for the user is written."""


def as_sentence(text: str) -> str:
    """Return a text with a capital at its beginning; the rest stays as it is."""
    return text[:1].upper() + text[1:]
