"""The page as downloaded, for queries that the pruned page can't answer: what the spider asks for stays.

Nothing here imports Scrapy: the callers evaluate queries, this module says on which element, and which answer holds.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from scrapy_tps.engine.asking.asked_parts import RULE
from scrapy_tps.engine.asking.element_counts import ElementCounts
from scrapy_tps.engine.asking.heard import EMPTY, LEARNT, MOST_ANSWERS, MOST_PLACES, OTHER, PARTIAL, Answer
from scrapy_tps.engine.asking.learning import lessons
from scrapy_tps.engine.asking.name_set import TAG
from scrapy_tps.engine.asking.page_trees import PageTrees, holder_of
from scrapy_tps.engine.asking.queries import ANYWHERE, DOWN, NODES, SIDEWAYS
from scrapy_tps.engine.asking.removed_names import Source, may_add
from scrapy_tps.engine.asking.same_list import is_entry, is_rest_of_list
from scrapy_tps.engine.html import document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from scrapy_tps.engine.asking.asked_parts import AskedParts
    from scrapy_tps.engine.asking.heard import Asked, Heard
    from scrapy_tps.engine.asking.learnt import Learnt
    from scrapy_tps.engine.asking.queries import Query
    from scrapy_tps.engine.asking.removed_names import HurtElements, Removed
    from scrapy_tps.engine.strategies import Span

#: Where so many places are known of a query, and it needs the whole page none the less, further ones don't help.
_MOST_TAUGHT: Final = 4
#: Answers of one query that a page learns from: thousands of rows that lack the same field would teach the same, and
#: each answer searches the page.
_MOST_LESSONS: Final = 8

#: What rows, cells and options stand in.
_LISTS: Final = frozenset({b"table", b"thead", b"tbody", b"tfoot", b"tr", b"select", b"optgroup"})

_blank_text: Final = etree.XPath("not(normalize-space())")


class OriginalPage:
    """The page as downloaded beside its pruned tree; parsed when first needed, and only once.

    :param root: the ``html`` element of the pruned tree.
    :param source: the page as downloaded; None if it was dropped.
    :param mask: makes :attr:`scrapy_tps.Pruning.mask`; few pages need it.
    :param removed: what is known about the removed parts; None: nothing is.
    :param asked: what happens is noted there.
    :param parts: what stays beside the pruned tree because the spider asks for it.
    :param taught: what is known about what the spider asks for on the site: where the whole page had what was asked
        for is noted of queries of which few places are known; None: of none.
    :param spans: the regions, for the account.
    """

    def __init__(
        self,
        root: Any,
        source: bytes | str | None,
        mask: Callable[[], bytes],
        *,
        removed: Removed | None,
        asked: Asked,
        parts: AskedParts | None = None,
        taught: Sequence[Learnt] | None = None,
        encoding: str | None = None,
        spans: Sequence[Span] = (),
    ) -> None:
        self._root = root
        self._text = source
        self._mask = mask
        self._removed = removed
        self.asked = asked
        self._encoding = encoding
        self._spans = spans
        self._source: Source | None = None
        self._tree: PageTrees | None = None
        self._failed = False
        # what may have lost something; None: not known. Before anybody can change the tree, as places are counted in it
        self._hurt: HurtElements | None = None if removed is None else removed.hurt(root)
        self._complete: dict[str, bool] = {}  # whether the whole page can't have more, by query
        self._parts = parts
        self._dropped = False  # whether anything was: then the whole page answers, and not the parts
        self._taught = taught
        self._lessons: Counter[str] = Counter()  # answers that were learnt from, by query
        self._counts = ElementCounts(root)
        self._lock = RLock()

    def has_all(self, text: str, query: Query, first: Any) -> bool:
        """Whether an answer of the pruned page is certainly that of the whole page.

        Most are, and this is all that they cost.

        :param first: the first of what was found.
        """
        complete = self._complete.get(text)
        if complete is None:
            complete = self._complete[text] = query.kind == NODES and (
                query.by_id or not self._may_add(query, of_page=False)
            )
        if not complete:
            return False
        if isinstance(first, str):
            return bool(first.strip())
        # of what has lost something, nothing but its shell may be left
        return self._hurt is not None and etree.iselement(first) and first not in self._hurt

    def _may_add(self, query: Query, *, of_page: bool) -> bool:
        """Whether the names of what went leave it open that the whole page has another answer; see :func:`may_add`."""
        hurt = self._hurt
        if hurt is None or self._removed is None:
            return True
        return may_add(query, self._removed, hurt, self._source_of_names() if of_page else None)

    def is_affected(self, element: Any, query: Query) -> bool:
        """Whether removing parts of the page may have changed the answer of a query on an element."""
        if self._removed is None or query.reach == ANYWHERE:
            return True
        if element is self._root:
            return True
        hurt = self._hurt
        if hurt is None or element in hurt:
            return True
        above = element.getparent()
        return query.reach != DOWN and above is not None and above in hurt

    def may_have_more(self, element: Any, query: Query, *, nothing: bool) -> bool:
        """Whether it is worth asking the whole page; it is on doubt.

        :param nothing: whether the pruned page had nothing; else the question is whether it had all of a list.
        """
        if not nothing and query.generic and not self._may_be_part(element, query):
            return False
        if not nothing and query.by_id:
            return False
        return self._text is None or self._may_add(query, of_page=nothing)

    def _source_of_names(self) -> Source | None:
        if self._source is None and self._text is not None:
            text = self._text
            self._source = (
                Source(text, self._encoding or "utf-8")
                if isinstance(text, bytes)
                else Source(text.encode("utf-8", "replace"), "utf-8")
            )
        return self._source

    def _may_be_part(self, element: Any, query: Query) -> bool:
        """Whether a query that names only tags may have found a part of a list: in an entry, or of entries."""
        hurt = self._hurt
        if query.of_lists and (hurt is None or any(hurt.names.may_have(TAG, tag) for tag in _LISTS)):
            return True
        return query.reach != ANYWHERE and element.getparent() is not None and is_entry(element)

    def may_be_hollow(self, values: Sequence[Any], query: Query) -> bool:
        """Whether nothing but their shells may be left of all elements that were found, and text was lost.

        That is text in one of them, or in others that the query may match. Of one among others what is asked for in it
        comes from the whole page.
        """
        if not self._are_shells(values):
            return False
        hurt = self._hurt
        return hurt is None or any(map(hurt.lost_text, values)) or self._may_add(query, of_page=True)

    def _are_shells(self, values: Sequence[Any]) -> bool:
        hurt = self._hurt
        return all(
            _is_tag(value) and (hurt is None or value in hurt) and _blank_text(value) for value in values
        )

    def counterpart(self, element: Any) -> Any:
        """Return the element of the whole page that is this one of the pruned tree; None where that is not certain."""
        with self._lock:
            tree = self._read()
            return None if tree is None else tree.counterpart(element)

    def counterpart_of_original(self, element: Any) -> Any:
        """Return the element of the pruned tree that is this one of the whole page, or None."""
        with self._lock:
            tree = self._read()
            return None if tree is None else tree.counterpart_of_original(element)

    def whole(self) -> Any:
        """Return the ``html`` element of the whole page; None where it can't be compared with the pruned tree."""
        with self._lock:
            tree = self._read()
            return None if tree is None else tree.root

    @contextmanager
    def dropping(self, element: Any, *, of_both: bool) -> Iterator[None]:
        """While the context is open, an element is dropped from either tree, where it is in both.

        :param element: the one of the pruned tree; None if that has none.
        :param of_both: whether it goes from the whole page, too; where it can't be found there, the trees differ.
        """
        with self._lock:
            if self._tree is not None:
                self._tree.expect_changes()
            with self._counts.without(element, known=of_both):
                yield
            self._dropped = True

    def _has_changed(self, element: Any, query: Query) -> bool:
        """Whether others have changed what a query on an element of the pruned tree can see."""
        seen = element
        if query.reach != DOWN:
            above = element.getparent() if query.reach == SIDEWAYS else None
            seen = self._root if above is None else above
        return not self._counts.hold(seen)

    def _read(self) -> PageTrees | None:
        if self._tree is None and not self._failed:
            self._failed = True
            if self._text is None:
                return None
            page = document.parse(document.read(self._text, self._encoding), None)
            self.asked.parsed = True
            if page.body is None:
                return None
            page.root.getroottree().docinfo.URL = self._root.getroottree().docinfo.URL
            tree = PageTrees(self._root, page.root, page.body, self._mask())
            if not tree.fits():
                return None
            self._tree, self._failed = tree, False
        return self._tree

    def answer_of_parts(
        self,
        element: Any,
        text: str,
        query: Query,
        values: Sequence[Any],
        ask: Callable[[Any], Sequence[Any]],
    ) -> Sequence[Any] | None:
        """Return the whole page's answer where what stays because the spider asks for it certainly has all of it.

        That is where the pruned page has nothing, and nothing else that went may match. Parameters are those of
        :meth:`answer`.
        """
        parts = self._parts
        if parts is None or self._dropped or values or query.kind != NODES or not parts.may_hold(query):
            return None
        if not all(one.exact and one.steps for one in query.alternatives):
            return None
        if query.reach != DOWN and element is not self._root:
            return None
        place = parts.root if element is self._root else parts.twin(element)
        hurt = self._hurt
        if (
            place is None
            or hurt is None
            or may_add(query, parts.removed, hurt, self._source_of_names(), parts=False)
        ):
            return None
        found = ask(place)
        holders = [holder_of(value) for value in found]
        if is_nothing(found) or not all(parts.hold(one) and parts.stand_in(one, element) for one in holders):
            return None
        self.asked.looked += 1
        self._note(Answer(self.asked.queries.written.get(text, text), LEARNT, 0, len(found), None, RULE))
        return [str(value) if isinstance(value, str) else value for value in found]

    def original_of_part(self, element: Any) -> Any:
        """Return the element of the whole page that this one of a part is; None where that can't be told."""
        with self._lock:
            tree = self._read()
            place = None if tree is None or self._parts is None else self._parts.origin(element)
            return None if tree is None or place is None else tree.at(*place)

    def part_of_original(self, element: Any) -> Any:
        """Return the element of a part that is this one of the whole page; None where no part has it."""
        with self._lock:
            if element is None or self._parts is None or self._tree is None:
                return None
            return self._parts.counterpart(self._tree, element)

    def answer(
        self,
        element: Any,
        text: str,
        query: Query,
        values: Sequence[Any],
        ask: Callable[[Any], Sequence[Any]],
    ) -> Sequence[Any] | None:
        """Return what the whole page has for a query, where that is the answer; None where the pruned page's is.

        :param element: the element of the pruned tree that was asked.
        :param values: what was found there.
        :param ask: evaluates the query on an element of either tree; the texts of its answer know where they stand.
        """
        with self._lock:
            self.asked.looked += 1
            tree = self._read()
            place = None if tree is None else tree.counterpart(element)
            if tree is None or place is None or self._has_changed(element, query):
                self.asked.lost += 1
                return None
            whole = ask(place)
            left = self.asked.left
            kind, first = self._judge(tree, (element, query), values, whole, ask)
            heard = self.asked.queries.get(text)
            if heard is not None:
                heard.left += self.asked.left - left
            if kind is None:
                return None
            written = self.asked.queries.written.get(text, "")
            stood = self._stood(tree, first) if self._is_shown(heard) else (None, None)
            self._note(Answer(written or text, kind, len(values), len(whole), *stood))
            if heard is not None:
                heard.note_place(*stood)
            if kind in (EMPTY, PARTIAL) and self._is_to_learn(text):
                self._lessons[text] += 1
                missing = [one for one in map(holder_of, whole) if one is not None]
                found = lessons((text, written), query, tree, place, missing, empty=kind == EMPTY)
                self.asked.learnt.update(dict.fromkeys(found))
            return [str(value) if isinstance(value, str) else value for value in whole]

    def _is_to_learn(self, text: str) -> bool:
        known = self._taught
        return (
            known is not None
            and self._lessons[text] < _MOST_LESSONS
            and sum(one.query == text for one in known) < _MOST_TAUGHT
        )

    def _judge(
        self,
        tree: PageTrees,
        question: tuple[Any, Query],
        values: Sequence[Any],
        whole: Sequence[Any],
        ask: Callable[[Any], Sequence[Any]],
    ) -> tuple[str | None, Any]:
        """Return the kind of the answer if the whole page gives it, and where its first new part stands."""
        element, query = question
        if len(whole) == 1 and isinstance(whole[0], (bool, float)):
            if [str(value) for value in values] == [str(whole[0])]:
                return None, None
            return (EMPTY if is_nothing(values) else OTHER), None
        if is_nothing(values):
            first = next((one for value in whole if (one := holder_of(value)) is not None), None)
            return (None if is_nothing(whole) else EMPTY), first
        if query.kind not in (NODES, None) or any(isinstance(one, (bool, float)) for one in values):
            return None, None
        hollow = self._are_shells(values) and all(map(tree.lost_something, values))
        if hollow and not all(_is_tag(value) and _blank_text(value) for value in whole):
            return EMPTY, _first_removed(tree, whole)
        if query.generic and not self._may_be_part(element, query):
            return None, None  # it was asked for the sake of a shell alone
        found, missing, wrong = tree.compare(ask(element), whole)
        if wrong:
            return OTHER, (missing or [None])[0]
        if not missing:
            return None, None
        if query.reach == DOWN and place_is_entry(tree, element):
            return PARTIAL, missing[0]
        if is_rest_of_list(found, missing, generic=query.generic):
            return PARTIAL, missing[0]
        self.asked.left += 1
        return None, None

    def _stood(self, tree: PageTrees, element: Any) -> tuple[str | None, str | None]:
        """XPath and rule of the removed part that an element of the whole page is in."""
        xpath, place = tree.removed_part(element)
        inside = (span.rule for span in self._spans if not span.kept and span.start <= place < span.end)
        return xpath, next(inside, None)

    def _is_shown(self, heard: Heard | None) -> bool:
        """Whether anybody gets to see where an answer stood; that takes as long as there are siblings before it."""
        asked = self.asked
        return (
            asked.tell is not None
            or len(asked.answers) < MOST_ANSWERS
            or (heard is not None and len(heard.places) < MOST_PLACES)
        )

    def _note(self, answer: Answer) -> None:
        asked = self.asked
        if asked.tell is not None:
            asked.tell(answer)
        asked.counts[answer.kind] += 1
        if len(asked.answers) < MOST_ANSWERS:
            asked.answers.append(answer)


def place_is_entry(tree: PageTrees, element: Any) -> bool:
    """Whether an element of the pruned tree is one of several of its kind."""
    return element.getparent() is not None and element is not tree.body and is_entry(element)


def is_nothing(values: Sequence[Any]) -> bool:
    """Whether an answer says nothing: no node, blank texts alone, zero, no number, false."""
    return all(
        (not value.strip())
        if isinstance(value, str)
        else (isinstance(value, (bool, float)) and not abs(value) > 0)
        for value in values
    )


def _is_tag(value: Any) -> bool:
    """Whether a value is an element proper: comments and instructions have no text to look for."""
    return etree.iselement(value) and isinstance(value.tag, str)


def _first_removed(tree: PageTrees, values: Sequence[Any]) -> Any:
    return next(
        (one for value in values if (one := holder_of(value)) is not None and not tree.stayed(one)), None
    )
