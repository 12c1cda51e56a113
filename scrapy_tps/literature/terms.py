"""Terms that the methods count: the words of a text, as they are or as stems, and as numbers that stay the same."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final
from zlib import crc32

import snowballstemmer
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

_WORD: Final = re.compile(r"\w+")


def words(text: str) -> list[str]:
    """The words of a text in lower case, in their order."""
    return _WORD.findall(text.lower())


def stems(text: str) -> list[str]:
    """The words of a text without stop words, each as its stem by Porter's algorithm."""
    return [stem for word in words(text) if (stem := _stem(word))]


def number(term: str) -> int:
    """A term as a number of 32 bits, the same in every process."""
    return crc32(term.encode("utf-8", "surrogatepass"))


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    if word in ENGLISH_STOP_WORDS:
        return ""
    # a stemmer keeps what it works on in itself: a new one for each word costs less than a lock among threads
    return str(snowballstemmer.stemmer("porter").stemWord(word))
