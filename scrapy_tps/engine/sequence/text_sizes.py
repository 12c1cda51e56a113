"""The sizes of all texts of a page, measured at once."""

from __future__ import annotations

import re

# kana, hangul, ideographs
_WIDE = re.compile("[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uff60]")


def measure(size: int, places: list[int], texts: list[str]) -> tuple[list[int], dict[int, int]]:
    """Return the number of characters of each of `size` nodes, and, by place, the number of East Asian ones.

    :param places: places of the text nodes. All others have no characters.
    :param texts: their texts; surrounding white space is not counted.
    """
    chars = [0] * size
    for place, length in zip(places, map(len, map(str.strip, texts)), strict=True):
        chars[place] = length
    wide = {
        place: count
        for place, text in zip(places, texts, strict=True)
        if not text.isascii() and (count := len(_WIDE.findall(text)))
    }
    return chars, wide
