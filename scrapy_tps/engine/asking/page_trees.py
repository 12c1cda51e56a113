"""A page as downloaded beside its pruned tree: which element is which."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from lxml import etree

from scrapy_tps.engine import native
from scrapy_tps.engine.sequence.columns import HIDDEN_TAGS
from scrapy_tps.engine.strategies.auto.masks import masked

if TYPE_CHECKING:
    from collections.abc import Sequence


def holder_of(value: Any) -> Any:
    """The element that a result is, or that holds it; None for values of no element."""
    if not isinstance(value, str):
        return value if etree.iselement(value) else None
    text: Any = value  # lxml's own class of texts, where they know where they stand
    above = text.getparent() if hasattr(text, "getparent") else None
    return above.getparent() if above is not None and text.is_tail else above


class PageTrees:
    """The whole page beside the pruned one: which element is which. Children are paired when they are asked for."""

    def __init__(self, pruned: Any, root: Any, body: Any, mask: bytes) -> None:
        walked = native.walk(body, None)
        self._end, self._parent = list(walked.end), list(walked.parent)
        self._is_text = walked.text_mask()
        # the other kind holds elements, and those of a class that spiders don't expect
        self._walked = walked if isinstance(walked, native.NativeSequence) else None
        self._mask = mask
        self._pruned = pruned
        self.root, self.body = root, body
        self._place: dict[Any, int] = {body: 0}  # in the sequence, by element of the whole page
        self._pairs: dict[Any, Any] = {pruned: root}  # elements of the whole page by those of the pruned one
        self._back: dict[Any, Any] = {root: pruned}
        self._paired: set[Any] = set()
        self._placed: set[Any] = set()
        self._all_placed = False
        for tag in ("head", "body"):
            one, other = pruned.find(tag), root.find(tag)
            if one is not None and other is not None:
                self._pairs[one], self._back[other] = other, one

    def fits(self) -> bool:
        """Whether the page is the one that was pruned."""
        kept = self._mask.translate(None, b"\0")
        if len(self._end) != len(self._mask) or self._pruned.find("body") is None:
            return False
        again = native.walk(self._pruned.find("body"), None)
        elements = len(kept) - masked(self._mask, self._is_text).count(1)
        return bool(kept) and elements == again.text_mask().count(0)

    def expect_changes(self) -> None:
        """Find the places of all elements of the whole page, before something is dropped from it: they are counted."""
        if self._walked is not None or not self._all_placed:
            self._walked, self._all_placed = None, True
            for element in self.body.iter(etree.Element):
                self._locate_children(element)

    def counterpart(self, element: Any) -> Any:
        chain = []
        one = element
        while one is not None and one not in self._pairs:
            chain.append(one)
            one = one.getparent()
        if one is None:
            return None
        for inner in reversed(chain):
            self._pair_children(inner.getparent())
            if inner not in self._pairs:
                return None
        return self._pairs[element]

    def counterpart_of_original(self, element: Any) -> Any:
        chain = []
        one = element
        while one is not None and one not in self._back:
            chain.append(one)
            one = one.getparent()
        if one is None:
            return None
        for inner in reversed(chain):
            above = self._back.get(inner.getparent())
            if above is None:
                return None
            self._pair_children(above)
            if inner not in self._back:
                return None
        return self._back[element]

    def _pair_children(self, above: Any) -> None:
        """Pair the children of an element of the pruned tree, whose counterpart is known, with those that stayed."""
        if above in self._paired:
            return
        self._paired.add(above)
        whole = self._pairs[above]
        children, originals = list(above), list(whole)
        if self._locate_children(whole) or whole is self.body:
            inside = [one for one in children if _in_sequence(one)]
            stayed = [one for one in originals if one in self._place and self._mask[self._place[one]]]
            if [one.tag for one in inside] != [one.tag for one in stayed]:
                return  # somebody has changed the tree
            self._join(inside, stayed)
            children = [one for one in children if not _in_sequence(one)]
            originals = [one for one in originals if one not in self._place]
        if len(children) == len(originals):
            if [one.tag for one in children] == [one.tag for one in originals]:
                self._join(children, originals)
            return
        # of scripts and the like some went: those that can be told apart are known
        by_markup: dict[bytes, list[Any]] = {}
        for one in originals:
            by_markup.setdefault(_markup(one), []).append(one)
        mine = Counter(map(_markup, children))
        for one in children:
            same = by_markup.get(_markup(one), [])
            if len(same) == mine[_markup(one)]:
                self._join([one], [same.pop(0)])
                mine[_markup(one)] -= 1

    def _join(self, pruned: Sequence[Any], whole: Sequence[Any]) -> None:
        self._pairs.update(zip(pruned, whole, strict=True))
        self._back.update(zip(whole, pruned, strict=True))

    def _locate_children(self, element: Any) -> bool:
        """Find the places of the children of an element of the whole page; False if it is in no sequence itself."""
        above = self._place.get(element)
        if above is None:
            return False
        if element not in self._placed:
            self._placed.add(element)
            place, stop = above + 1, self._end[above]
            for child in element:
                while place < stop and self._is_text[place]:
                    place += 1
                if place < stop and _in_sequence(child):  # somebody may have added some
                    self._place[child] = place
                    place = self._end[place]
        return True

    def place(self, element: Any) -> int | None:
        """The place of an element of the whole page in its sequence, None if it has none."""
        chain = []
        one = element
        while one is not None and one not in self._place:
            chain.append(one)
            one = one.getparent()
        if one is None:
            return None
        for inner in reversed(chain):
            self._locate_children(inner.getparent())
            if inner not in self._place:
                return None
        return self._place[element]

    def at(self, place: int, way: Sequence[int]) -> Any:
        """The element of the whole page at a place of the sequence, and below it down by positions; or None."""
        element = self.body
        while self._place[element] != place:
            self._locate_children(element)
            below = (
                one
                for one in element
                if self._place.get(one, place + 1) <= place < self._end[self._place[one]]
            )
            element = next(below, None)
            if element is None:
                return None
        for number in way:
            if number >= len(element):
                return None
            element = element[number]
        return element

    def stayed(self, element: Any) -> bool:
        """Whether an element of the whole page stayed; those that no browser shows count as if they had."""
        place = self.place(element)
        return place is None or self._mask[place] != 0

    def gone_of(self, elements: Sequence[Any]) -> dict[Any, int]:
        """Those elements of the whole page that did not stay, once each, with their places."""
        if self._walked is None:
            known = [self.place(one) for one in elements]
            places = [-1 if place is None else place for place in known]
        else:
            places = self._walked.places(elements)
        return {
            one: place
            for one, place in zip(elements, places, strict=True)
            if place >= 0 and not self._mask[place]
        }

    def stop(self, place: int) -> int:
        """The place after all that is in the element at a place."""
        return self._end[place]

    def lost_something(self, element: Any) -> bool:
        """Whether anything in an element of the pruned tree was removed."""
        whole = self.counterpart(element)
        place = None if whole is None else self.place(whole)
        return place is not None and self._mask.find(0, place, self._end[place]) >= 0

    def removed_part(self, element: Any) -> tuple[str | None, int]:
        """Where the part was that was removed with this element in it, and its place in the sequence."""
        place = None if element is None else self.place(element)
        if place is None:
            return (None if element is None else element.getroottree().getpath(element)), -1
        while place and not self._mask[place] and not self._mask[self._parent[place]]:
            place = self._parent[place]
            element = element.getparent()
        return element.getroottree().getpath(element), place

    def compare(self, values: Sequence[Any], whole: Sequence[Any]) -> tuple[list[Any], list[Any], bool]:
        """Compare an answer of the pruned page with that of the whole page.

        :return: elements of the whole page that were found, those that were missed (or that hold what was), without
            what no browser shows; and whether something was found that is no answer on the whole page.
        """
        texts: dict[Any, str] = {}
        others: set[Any] = set()
        certain = True
        for value in values:
            holder = holder_of(value)
            mine = None if holder is None else self.counterpart(holder)
            if mine is None:
                certain = False
            elif getattr(value, "is_text", False) or getattr(value, "is_tail", False):
                texts[mine] = texts.get(mine, "") + "".join(value.split())
            else:
                others.add((mine, getattr(value, "attrname", None)))
        found: dict[Any, None] = {}
        missing: dict[Any, None] = {}
        whole_texts: dict[Any, str] = {}
        expected = set()
        for value in whole:
            holder = holder_of(value)
            if holder is None or self.place(holder) is None:
                continue
            if getattr(value, "is_text", False) or getattr(value, "is_tail", False):
                whole_texts[holder] = whole_texts.get(holder, "") + "".join(value.split())
            else:
                key = (holder, getattr(value, "attrname", None))
                expected.add(key)
                (found if key in others else missing)[holder] = None
        for holder, text in whole_texts.items():
            (found if texts.get(holder, "") == text else missing)[holder] = None
        found.update(dict.fromkeys(holder for holder in texts if holder not in found))
        wrong = certain and (
            any(key not in expected and self.place(key[0]) is not None for key in others)
            or any(text and holder not in whole_texts for holder, text in texts.items())
        )
        return list(found), list(missing), wrong


def _in_sequence(element: Any) -> bool:
    return isinstance(element.tag, str) and element.tag not in HIDDEN_TAGS


def _markup(element: Any) -> bytes:
    markup: bytes = etree.tostring(element, with_tail=False)
    return markup
