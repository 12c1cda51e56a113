"""The model of a site: a few of its pages, chosen by hash, that any page of the site is compared with.

What recurs on all pages is template, what is new is content: Yi, Liu & Li (2003) compare pages in a site style tree,
Lin & Ho (2002) by the entropy of their features. Here a page is compared with up to eight others directly.
"""

from __future__ import annotations

import struct
from functools import partial
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.sites.known import Known
from scrapy_tps.sites.reference import Reference

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from typing_extensions import Self

    from scrapy_tps.engine.pruning import Pruning
    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.engine.site import Judgement

#: Pages remembered of a site, unless told otherwise.
PAGES: Final = 8
_HEAD: Final = struct.Struct("<4sIiH")
_MAGIC: Final = b"TPS\x03"
_LENGTH: Final = struct.Struct("<I")


class SiteModel:
    """What is known of a site, to give :func:`scrapy_tps.prune`, which judges pages with it and teaches it.

    Remembered are up to `pages` pages, those of the last epoch with the smallest hashes of their addresses: once a
    crawl has seen as many, the model does not depend on the order of its pages, nor on neighbours that a crawl
    visits one after the other. Merging is a union of which the same pages are kept: in any order, any number of
    times, with the same result (a convergent replicated data type). What is not remembered is taken for new and not for
    repeated, so that forgetting loses nothing.

    :param pages: how many pages to remember, of 3 to 30 KB each.
    :param read_only: whether :func:`scrapy_tps.prune` teaches it nothing.
    :raises ValueError: if `pages` is less than 1.
    """

    def __init__(self, pages: int = PAGES, *, read_only: bool = False) -> None:
        if pages < 1:
            raise ValueError(f"pages is {pages!r}; allowed: a whole number, at least 1")
        self.pages = pages
        self.read_only = read_only
        self.epoch = 0
        #: The last epoch in which nothing may be removed for standing on all pages; -1: none.
        self.barred = -1
        self._references: dict[bytes, Reference] = {}
        self._known: Known | None = None
        #: Whether no page is wanted any more, until the site changes.
        self.settled = False
        #: What strategies with a memory of their own remember of the site; neither merged nor written.
        self._memories: dict[Any, Any] = {}

    def __repr__(self) -> str:
        return f"<SiteModel {len(self)} pages, epoch {self.epoch}, {self.digest}>"

    def __len__(self) -> int:
        return len(self._references)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SiteModel) and self.to_bytes() == other.to_bytes()

    __hash__ = None  # type: ignore[assignment]  # it changes

    @property
    def digest(self) -> str:
        """What tells this state of the model from others; hexadecimal."""
        return self.known().digest

    @property
    def references(self) -> tuple[Reference, ...]:
        """The pages that are remembered, in the order in which they would stay."""
        return tuple(sorted(self._references.values(), key=attrgetter("order")))

    @property
    def memories(self) -> Mapping[Any, Any]:
        """What strategies with a memory of their own remember of the site, by strategy."""
        return MappingProxyType(self._memories)

    def known(self) -> Known:
        """What is known now: it does not change, and may be asked in a thread."""
        if self._known is None or self._known.read_only is not self.read_only:
            self._known = Known(
                self.references,
                removes=self.barred < self.epoch,
                read_only=self.read_only,
                memories=self._memories,
                wants=partial(_wants, frozenset(self._references), self.last, self.epoch, self.settled),
            )
        return self._known

    def rest(self) -> None:
        """Let go of what can be made anew of what is known: nobody asks for a while."""
        if self._known is not None:
            self._known.forget_gathered()

    def judge(self, sequence: TagPathSequence, address: str, template_pages: int | None = None) -> Judgement:
        """Compare a page with those that are known: :meth:`Known.judge`."""
        return self.known().judge(sequence, address, template_pages)

    @property
    def last(self) -> tuple[int, bytes] | None:
        """The order of the page that would be the next to go; None while there is room."""
        if len(self) < self.pages:
            return None
        return max(one.order for one in self._references.values())

    def wants(self, key: bytes) -> bool:
        """Whether a page with this key would be remembered."""
        return _wants(frozenset(self._references), self.last, self.epoch, self.settled, key)

    def teach(self, pruning: Pruning) -> bool:
        """Learn what a page teaches that was pruned with this model; return whether anything changed."""
        lesson, pruning.lesson = pruning.lesson, None
        return lesson is not None and not self.read_only and self.learn(lesson)

    def learn(self, reference: Reference) -> bool:
        """Remember a page; return whether anything changed."""
        if not self.wants(reference.key):
            return False
        before = self._references.get(reference.key)
        following = reference.after(before, self.epoch)
        if following is before:
            return False
        self._references[reference.key] = following
        self._forget()
        return True

    def merge(self, other: SiteModel) -> None:
        """Learn all that another model of the same site knows."""
        self.epoch = max(self.epoch, other.epoch)
        self.barred = max(self.barred, other.barred)
        for key, reference in other._references.items():
            before = self._references.get(key)
            if before is None or before.rank < reference.rank:
                self._references[key] = reference
        self._forget()

    def start_anew(self) -> None:
        """Begin a new epoch: the site has changed, and pages of before make room as new ones come."""
        self.epoch += 1
        self.settled = False
        self._known = None

    def settle(self) -> None:
        """Want no page any more, until the site changes; what others have learnt is still merged."""
        self.settled = True
        self._known = None

    def bar(self) -> None:
        """Let nothing be removed for standing on all pages, until the site changes."""
        self.barred = max(self.barred, self.epoch)
        self._known = None

    def to_bytes(self) -> bytes:
        """The model as bytes: equal ones for equal models, on every machine."""
        parts = [_HEAD.pack(_MAGIC, self.epoch, self.barred, len(self))]
        for reference in self.references:
            data = reference.to_bytes()
            parts += (_LENGTH.pack(len(data)), data)
        return b"".join(parts)

    @classmethod
    def from_bytes(cls, data: bytes, pages: int = PAGES) -> Self:
        """Read what :meth:`to_bytes` wrote; raise ``ValueError`` on anything else."""
        if len(data) < _HEAD.size or not data.startswith(_MAGIC):
            raise ValueError("not a site model")
        _, epoch, barred, count = _HEAD.unpack_from(data)
        place = _HEAD.size
        references = []
        for _ in range(count):
            if len(data) < place + _LENGTH.size:
                raise ValueError("only a part of a site model")
            (length,) = _LENGTH.unpack_from(data, place)
            place += _LENGTH.size
            references.append(Reference.from_bytes(data[place : place + length]))
            place += length
        if place != len(data):
            raise ValueError("more than a site model")
        return cls.of(references, epoch=epoch, barred=barred, pages=pages)

    @classmethod
    def of(
        cls, references: Iterable[Reference], *, epoch: int = 0, barred: int = -1, pages: int = PAGES
    ) -> Self:
        """The model of these pages."""
        model = cls(pages)
        model.epoch, model.barred = epoch, barred
        model._references = {reference.key: reference for reference in references}
        model._forget()
        return model

    def _forget(self) -> None:
        self._known = None
        self.epoch = max([self.epoch, *(one.epoch for one in self._references.values())])
        for reference in self.references[self.pages :]:
            del self._references[reference.key]


def _wants(
    keys: frozenset[bytes], last: tuple[int, bytes] | None, epoch: int, settled: bool, key: bytes
) -> bool:
    """Whether a page would be remembered beside these, of which one is the next to go, or none while there is room."""
    return not settled and (last is None or key in keys or (-epoch, key) < last)
