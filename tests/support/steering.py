"""Control characters for terminals, in the texts of a page."""

from __future__ import annotations

import re

import pytest
from lxml import html

#: Sets the title, clears the screen, turns text around; the same by a C1 control.
HOSTILE = "\x1b]0;owned\x07\x1b[2J\u202egnp.exe\u2066x\u2069\x9b31m\u200f"

#: Older versions of libxml2 drop what steers terminals when they parse a page.
needs_controls = pytest.mark.skipif(
    "\x1b" not in html.fromstring("<p>\x1b</p>").text_content(),
    reason="this libxml2 drops control characters",
)


def steers(text: str) -> bool:
    """Whether a terminal would do anything but show the characters of a text, line by line."""
    return (
        re.search("[^\n\t -\x7e\xa0-\U0010ffff]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f]", text)
        is not None
    )
