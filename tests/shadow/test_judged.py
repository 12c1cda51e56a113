"""Kinds of removed parts, and their values."""

from __future__ import annotations

from scrapy_tps.shadow.judged import MOST_VALUES, Judged, Part


def parts(*values: str) -> set[Part]:
    return {("/ul/li.label", value) for value in values}


def test_each_new_label_is_compared() -> None:
    judged = Judged()
    for label in ("In stock", "Gift wrap", "New", "Sale", "Free delivery"):
        assert not judged.has_all(parts(label))
        judged.add(parts(label))
    assert judged.has_all(parts("New", "Sale"))
    assert not judged.has_all(parts("New", "Sold out"))


def test_free_text_is_not() -> None:
    judged = Judged()
    judged.add(parts(*map(str, range(MOST_VALUES))))
    assert judged.has_all(parts("Another text"))
