from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_tps.engine import native
from scrapy_tps.engine.html import document
from scrapy_tps.engine.sequence import walking
from scrapy_tps.sites import fingerprints
from scrapy_tps.sites.fingerprints import (
    PageTexts,
    Texts,
    gathered,
    kept_shares,
    overlaps,
    page_texts,
    smallest,
)

needs_core = pytest.mark.skipif(not native.AVAILABLE, reason=f"no native core: {native.REASON}")

texts = st.text(
    st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("aA1 -\t\u00a0é日"),
    min_size=1,
    max_size=8,
).map(lambda text: text.replace("<", "").replace("&", ""))
classes = st.lists(
    st.sampled_from(
        ["a", "item-1", "item-2", "b\tc", "É", "\u00a0", "8 letters", "grid__item-0123456789", "\x01\x1f9"]
    ),
    max_size=3,
).map(" ".join)
parts = st.recursive(
    texts,
    lambda inner: st.builds(
        "<{0} class='{1}'>{2}</{0}>".format,
        st.sampled_from(["div", "p", "ul"]),
        classes,
        st.lists(inner, max_size=3).map("".join),
    ),
    max_leaves=12,
)
numbers = st.lists(st.integers(0, 40), unique=True).map(lambda found: array("I", sorted(found)))


def body(page: str) -> object:
    return document.parse(f"<body>{page}</body>").body


@needs_core
@given(
    st.lists(parts, min_size=1, max_size=4).map("".join),
    st.lists(st.integers(0, 8), max_size=3),
    st.integers(0, 5),
    st.sampled_from([0.0, 0.05, 0.5]),
    st.integers(0, 12),
)
def test_native_and_pure_python_give_the_same(
    page: str, known: list[int], found_before: int, share: float, amount: int
) -> None:
    native_page = page_texts(native.walk(body(page), frozenset(), compared=bool(found_before % 2)))
    pure_page = PageTexts(walking.walk(body(page)))
    assert type(native_page) is not PageTexts
    assert native_page.elements == pure_page.elements
    elements = [native_page.elements[start::2] for start in known]
    assert native_page.alike(elements, 3, 0.5) == pure_page.alike(elements, 3, 0.5)
    nodes = len(walking.walk(body(page)))
    one = native_page.all()
    # the other pages have some texts of this one
    others = [array("I", sorted(set(one.texts[start::2]))) for start in known]
    pairs = [array("I", sorted(set(one.pairs[start::3]))) for start in known]
    mask = bytearray(place % 3 != 1 for place in range(nodes))
    shares = [kept_shares(one, bytes(nodes), 5), kept_shares(one, mask, 5)]
    for stays in (bytearray(place % 3 for place in range(nodes)), None):
        held, common = gathered(others), gathered(pairs, every=True) if pairs else None
        one = native_page.compared(stays, held, common, shares)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(fingerprints, "_CORE", None)
            held, common = gathered(others), gathered(pairs, every=True) if pairs else None
            other = pure_page.compared(stays, held, common, shares)
        for name in ("places", "lengths", "texts", "paths", "new", "repeated"):
            assert list(getattr(one, name)) == list(getattr(other, name)), name
        assert one.new_length == other.new_length
        wanted = list(range(0, len(one.texts), 2))
        assert one.amounts_kept(wanted) == other.amounts_kept(wanted)
    new = native_page.new_characters(mask, gathered(others), found_before, share, amount)
    found = one.pairs, smallest(one.texts, 5), shares
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fingerprints, "_CORE", None)
        assert new == pure_page.new_characters(mask, gathered(others), found_before, share, amount)
        shares = [kept_shares(other, bytes(nodes), 5), kept_shares(other, mask, 5)]
        assert found == (other.pairs, smallest(other.texts, 5), shares)


@needs_core
@given(numbers, st.lists(numbers, min_size=1, max_size=4), st.booleans())
def test_native_and_pure_python_compare_alike(one: array[int], others: list[array[int]], every: bool) -> None:
    held = gathered(others, every=every)
    found = overlaps(one, others), [number in held for number in one]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fingerprints, "_CORE", None)
        held = gathered(others, every=every)
        assert found == (overlaps(one, others), [number in held for number in one])


@given(st.lists(st.lists(st.integers(0, 2**32 - 1), unique=True).map(sorted), max_size=4), st.booleans())
def test_what_was_gathered_is_what_one_of_the_pages_or_each_of_them_has(
    pages: list[list[int]], every: bool
) -> None:
    pages += [pages[0][::2]] if pages else []
    asked = sorted({0, 2**32 - 1, *(number for page in pages for number in page)})
    if every and not pages:
        with pytest.raises(ValueError, match="each of no pages"):
            gathered([], every=True)
        return
    held = gathered([array("I", page) for page in pages], every=every)
    expected = [(all if every else any)(number in page for page in pages) for number in asked]
    assert [number in held for number in asked] == expected


@pytest.mark.parametrize("count", [0, 1, 500, 520, 3000])
def test_the_smallest_numbers_come_in_order_and_once_however_many_there_are(count: int) -> None:
    numbers = [(number * 0x9E3779B1) % 2**32 for number in range(count)] * 2
    alike = [0xFFFF0000 | (7 * number) % 65536 for number in range(count)]
    for all_ in (numbers, alike):
        assert list(smallest(array("I", all_), 1000)) == sorted(set(all_))[:1000]


def read(markup: str) -> PageTexts:
    return page_texts(native.walk(body(markup), frozenset()))


def texts_of(markup: str) -> Texts:
    return read(markup).all()


def test_a_text_is_its_letters_and_digits() -> None:
    one, same, other = (
        texts_of(f"<p>{text}</p>") for text in ("Price: 12.50", "PRICE 1250 !", "Price: 12.51")
    )
    assert one.texts == same.texts != other.texts
    assert not texts_of("<p>· - !</p>".replace("·", "*")).texts


def test_a_tag_path_is_tags_and_sets_of_classes_without_numbers() -> None:
    one, same, other = (
        read(f"<div class='{names}'><p>a</p></div>") for names in ("row item-17", "item-25  row", "item")
    )
    assert one.all().paths == same.all().paths != other.all().paths
    assert one.elements == same.elements


def test_a_text_that_is_there_more_often_is_another_pair() -> None:
    once, twice = texts_of("<p>New</p>"), texts_of("<p>New</p><p>New</p>")
    assert set(once.texts) == set(twice.texts)
    assert not set(once.pairs) & set(twice.pairs)


def test_of_what_is_asked_only_the_texts_that_do_not_stay_are_read() -> None:
    page = read("<p>Stays</p><p>Goes</p>")
    stays = bytearray([1, 1, 1, 0, 0])
    gone = page.compared(stays, None, None, [])
    assert list(gone.places) == [4]
    assert list(page.all().places) == [2, 4]


def test_what_is_new_is_not_repeated_whatever_the_pairs_say() -> None:
    page = read("<p>New</p><p>Known</p>")
    texts = page.all()
    known, pairs = gathered([texts.texts[1:]]), gathered([array("I", sorted(texts.pairs))])
    texts = page.compared(None, known, pairs, [])
    assert (list(texts.new), list(texts.repeated)) == ([1, 0], [0, 1])
