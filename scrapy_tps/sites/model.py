"""The model of a site: a few of its pages, chosen by hash, that any page of the site is compared with.

What recurs on all pages is template, what is new is content: Yi, Liu & Li (2003) compare pages in a site style tree,
Lin & Ho (2002) by the entropy of their features. Here a page is compared with up to eight others directly.
"""

from __future__ import annotations

import struct
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from scrapy_tps.engine.site import Judgement
from scrapy_tps.sites.fingerprints import PageTexts, common, held_by
from scrapy_tps.sites.reference import MOST_ELEMENTS, WHOLE, Reference, page_key

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from typing_extensions import Self

    from scrapy_tps.engine.pruning import Pruning
    from scrapy_tps.engine.sequence.columns import TagPathSequence

T = TypeVar("T")

#: Pages remembered of a site, unless told otherwise.
PAGES: Final = 8
#: Pages whose sets of tag paths overlap by this share (Jaccard) are made alike.
ALIKE: Final = 0.5

_FLIPPED: Final = bytes([1, 0, *range(2, 256)])

_HEAD: Final = struct.Struct("<4sIiH")
_MAGIC: Final = b"TPS\x01"
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
    """

    def __init__(self, pages: int = PAGES, *, read_only: bool = False) -> None:
        self.pages = pages
        self.read_only = read_only
        self.epoch = 0
        #: The last epoch in which nothing may be removed for standing on all pages; -1: none.
        self.barred = -1
        self._references: dict[bytes, Reference] = {}
        self._known: Known | None = None
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
            )
        return self._known

    def judge(self, sequence: TagPathSequence, address: str, template_pages: int | None = None) -> Judgement:
        """Compare a page with those that are known: :meth:`Known.judge`."""
        return self.known().judge(sequence, address, template_pages)

    def wants(self, key: bytes) -> bool:
        """Whether a page with this key would be remembered."""
        if key in self._references or len(self) < self.pages:
            return True
        return (-self.epoch, key) < max(one.order for one in self._references.values())

    def teach(self, pruning: Pruning) -> bool:
        """Learn what a page teaches that was pruned with this model; return whether anything changed."""
        lesson, pruning.lesson = pruning.lesson, None
        if lesson is None or self.read_only or not self.wants(page_key(pruning.url or "")):
            return False
        return self.learn(lesson())

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


class Known:
    """What is known of a site at one moment.

    :param references: pages of the site.
    :param removes: whether what stands on all pages that are made alike may go.
    :param read_only: whether strategies with a memory of their own may not learn either.
    :param memories: what those remember, which does change.
    """

    __slots__ = ("_memories", "digest", "read_only", "references", "removes")

    def __init__(
        self,
        references: Sequence[Reference],
        *,
        removes: bool = True,
        read_only: bool = False,
        memories: dict[Any, Any] | None = None,
    ) -> None:
        self.references, self.removes, self.read_only = tuple(references), removes, read_only
        self._memories = {} if memories is None else memories
        state = b"".join([bytes([removes]), *(reference.digest for reference in self.references)])
        self.digest = blake2b(state, digest_size=8).hexdigest()

    def memory(self, strategy: Any, make: Callable[[], T]) -> T:
        """What a strategy with a memory of its own remembers of the site; what `make` returns at first."""
        found: T = self._memories.setdefault(strategy, make())
        return found

    def judge(self, sequence: TagPathSequence, address: str, template_pages: int | None = None) -> Judgement:
        """Compare a page with those that are known, itself left out.

        :param address: tells whether it is one of them.
        :param template_pages: so many pages have to be made like this one for what stands on all of them to be told;
            None: it is not.
        """
        page = PageTexts(sequence)
        key = page_key(address)
        others = [reference for reference in self.references if reference.key != key]
        judgement = Judgement(
            len(others),
            0,
            self.removes,
            self.digest,
            reference=partial(Reference.of, key, page),
            full=template_pages is not None and self.removes,
        )
        if not others:
            return judgement
        elements = page.elements[:MOST_ELEMENTS]
        alike = [reference for reference in others if _overlap(elements, reference.elements) >= ALIKE]
        judgement.alike = len(alike)
        if template_pages is None or len(alike) < template_pages:
            alike = []
        judgement.part = partial(_judge_part, replace(judgement, reference=None), others, alike)
        return _compare(judgement, page, others, alike)


def _judge_part(
    judgement: Judgement, others: Sequence[Reference], alike: Sequence[Reference], sequence: TagPathSequence
) -> Judgement:
    """The judgement of a page, about what is left of it."""
    return _compare(replace(judgement), PageTexts(sequence), others, alike)


def _compare(
    judgement: Judgement, page: PageTexts, others: Sequence[Reference], alike: Sequence[Reference]
) -> Judgement:
    """Add to a judgement what others say of the texts, and of repetition those in `alike`, if there are any."""
    judgement.places, judgement.lengths = page.places, page.lengths
    judgement.new = held_by(page.texts, [reference.texts for reference in others]).translate(_FLIPPED)
    judgement.kept = _Kept(others, page.paths)
    if alike:
        judgement.repeated = held_by(page.pairs, [reference.pairs for reference in alike], every=True)
    return judgement


def _overlap(page: array[int], other: array[int]) -> float:
    """Size of the intersection of two sets by that of their union (Jaccard)."""
    shared = common(page, other)
    return shared / max(1, len(page) + len(other) - shared)


class _Kept:
    """Says of how much of the text at a text's tag path the others kept, 0 to 1; -1 where none has the path."""

    __slots__ = ("_known", "_others", "_paths")

    def __init__(self, others: Sequence[Reference], paths: Sequence[int]) -> None:
        self._others, self._paths = others, paths
        self._known: dict[int, float] = {}  # by tag path: most texts have theirs in common with others

    def __call__(self, text: int) -> float:
        path = self._paths[text]
        known = self._known.get(path)
        if known is None:
            shares = [share for one in self._others if (share := one.share_kept(path)) >= 0]
            known = self._known[path] = sum(shares) / (WHOLE * len(shares)) if shares else -1.0
        return known
