from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_tps.engine import native
from scrapy_tps.engine.html import document
from scrapy_tps.engine.sequence import walking
from scrapy_tps.sites import fingerprints
from scrapy_tps.sites.fingerprints import PageTexts, Texts, common, held_by, kept_shares, smallest

needs_core = pytest.mark.skipif(not native.AVAILABLE, reason=f"no native core: {native.REASON}")

texts = st.text(
    st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("aA1 -\t\u00a0é日"),
    min_size=1,
    max_size=8,
).map(lambda text: text.replace("<", "").replace("&", ""))
classes = st.lists(st.sampled_from(["a", "item-1", "item-2", "b\tc", "É", "\u00a0"]), max_size=3).map(
    " ".join
)
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
    native_page, pure_page = (
        PageTexts(native.walk(body(page), frozenset())),
        PageTexts(walking.walk(body(page))),
    )
    assert native_page.elements == pure_page.elements
    nodes = len(walking.walk(body(page)))
    mask = bytearray(place % 3 for place in range(nodes))
    for one, other in (
        (native_page.gone(mask), pure_page.gone(mask)),
        (native_page.all(), pure_page.all()),
    ):
        for name in ("places", "lengths", "texts", "paths"):
            assert list(getattr(one, name)) == list(getattr(other, name)), name
    mask = bytearray(place % 3 != 1 for place in range(nodes))
    # the other pages have some texts of this one
    others = [array("I", sorted(set(one.texts[start::2]))) for start in known]
    asked = mask, others, found_before, share, amount
    assert native_page.new_characters(*asked) == pure_page.new_characters(*asked)
    found = one.pairs, smallest(one.texts, 5), kept_shares(one, mask, 5, 255)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fingerprints, "_CORE", None)
        assert found == (other.pairs, smallest(other.texts, 5), kept_shares(other, mask, 5, 255))


@needs_core
@given(numbers, st.lists(numbers, min_size=1, max_size=4), st.booleans())
def test_native_and_pure_python_compare_alike(one: array[int], others: list[array[int]], every: bool) -> None:
    found = common(one, others[0]), bytes(held_by(one, others, every=every))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fingerprints, "_CORE", None)
        assert found == (common(one, others[0]), bytes(held_by(one, others, every=every)))


def read(markup: str) -> PageTexts:
    return PageTexts(native.walk(body(markup), frozenset()))


def page_texts(markup: str) -> Texts:
    return read(markup).all()


def test_a_text_is_its_letters_and_digits() -> None:
    one, same, other = (
        page_texts(f"<p>{text}</p>") for text in ("Price: 12.50", "PRICE 1250 !", "Price: 12.51")
    )
    assert one.texts == same.texts != other.texts
    assert not page_texts("<p>· - !</p>".replace("·", "*")).texts


def test_a_tag_path_is_tags_and_sets_of_classes_without_numbers() -> None:
    one, same, other = (
        read(f"<div class='{names}'><p>a</p></div>") for names in ("row item-17", "item-25  row", "item")
    )
    assert one.all().paths == same.all().paths != other.all().paths
    assert one.elements == same.elements


def test_a_text_that_is_there_more_often_is_another_pair() -> None:
    once, twice = page_texts("<p>New</p>"), page_texts("<p>New</p><p>New</p>")
    assert set(once.texts) == set(twice.texts)
    assert not set(once.pairs) & set(twice.pairs)


def test_of_what_is_asked_only_the_texts_that_do_not_stay_are_read() -> None:
    page = read("<p>Stays</p><p>Goes</p>")
    stays = bytearray([1, 1, 1, 0, 0])
    gone = page.gone(stays)
    assert list(gone.places) == [4]
    assert list(page.all().places) == [2, 4]
    assert list(page.gone(stays).places) == [2, 4]  # they are known by now
