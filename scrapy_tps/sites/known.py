"""What is known of a site at one moment, and what it says about a page.

Most pages teach nothing and lose nothing that is new, so that little is read of a page before it is asked for.
"""

from __future__ import annotations

from functools import cached_property, partial
from hashlib import blake2b
from itertools import compress
from typing import TYPE_CHECKING, Any, Final, TypeVar

from scrapy_tps.sites.fingerprints import gathered, page_texts
from scrapy_tps.sites.reference import MOST_ELEMENTS, Reference, page_key

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Sequence

    from scrapy_tps.engine.sequence.columns import TagPathSequence
    from scrapy_tps.engine.site import Judgement, SiteTexts
    from scrapy_tps.sites.fingerprints import Gathered, PageTexts, Texts

T = TypeVar("T")

#: Pages whose sets of tag paths overlap by this share (Jaccard) are made alike.
ALIKE: Final = 0.5

#: Of so many sets of references what is made of them is kept: most pages of a site are compared with the same one.
_MOST_COMPARED: Final = 4


class Compared:
    """References that a page is compared with, and what is made of them when a page asks for it.

    :param references: pages of a site.
    """

    def __init__(self, references: Sequence[Reference]) -> None:
        self.references = tuple(references)
        self.elements = [reference.elements for reference in references]

    @cached_property
    def texts(self) -> Gathered:
        """The texts that one of them holds, to be asked for."""
        return gathered([one.texts for one in self.references])

    @cached_property
    def common_pairs(self) -> Gathered:
        """The texts with their tag paths that each of them holds, to be asked for; there is one at least."""
        return gathered([one.pairs for one in self.references], every=True)

    @cached_property
    def kept(self) -> list[tuple[array[int], bytes]]:
        """The tag paths of their texts, and how much of the text at each stayed."""
        return [(one.paths, one.kept) for one in self.references]


class Known:
    """What is known of a site at one moment: it does not change, and may be asked in a thread.

    :param references: pages of the site.
    :param removes: whether what stands on all pages that are made alike may go.
    :param read_only: whether strategies with a memory of their own may not learn either.
    :param memories: what those remember, which does change.
    :param wants: says by a page's key whether the model would remember it.
    :ivar compared: what pages were compared with last: all references, under no key; all but one, under its key; some,
        under theirs.
    """

    __slots__ = (
        "_keys",
        "_memories",
        "_wants",
        "compared",
        "digest",
        "read_only",
        "references",
        "removes",
    )

    def __init__(
        self,
        references: Sequence[Reference],
        *,
        removes: bool = True,
        read_only: bool = False,
        memories: dict[Any, Any] | None = None,
        wants: Callable[[bytes], bool] = lambda _: False,
    ) -> None:
        self.references, self.removes, self.read_only = tuple(references), removes, read_only
        self._keys = frozenset(reference.key for reference in self.references)
        self._memories = {} if memories is None else memories
        self._wants = wants
        self.compared: dict[Any, Compared] = {}
        state = b"".join([bytes([removes]), *(reference.digest for reference in self.references)])
        self.digest = blake2b(state, digest_size=8).hexdigest()

    def memory(self, strategy: Any, make: Callable[[], T]) -> T:
        """What a strategy with a memory of its own remembers of the site; what `make` returns at first."""
        found: T = self._memories.setdefault(strategy, make())
        return found

    def forget_gathered(self) -> None:
        """Let go of what can be made anew of the references: a third of their size."""
        self.compared = {}

    def _beside(self, key: bytes) -> Compared:
        """The references but the one with a key: all of them where none has it."""
        wanted = key if key in self._keys else b""
        found = self.compared.get(wanted)
        if found is None:
            found = self._note(wanted, [one for one in self.references if one.key != key])
        return found

    def _among(self, references: Sequence[Reference]) -> Compared:
        """Some of the references."""
        keys = tuple([one.key for one in references])
        found = self.compared.get(keys)
        return self._note(keys, references) if found is None else found

    def _note(self, wanted: Any, references: Sequence[Reference]) -> Compared:
        if len(self.compared) >= _MOST_COMPARED:
            self.compared = {}  # a new one: others may be reading it in threads
        found = self.compared[wanted] = Compared(references)
        return found

    def judge(self, sequence: TagPathSequence, address: str, template_pages: int | None = None) -> Judgement:
        """Compare a page with those that are known, itself left out.

        :param address: tells whether it is one of them.
        :param template_pages: so many pages have to be made like this one for what stands on all of them to be told;
            None: it is not.
        """
        page = page_texts(sequence)
        key = page_key(address)
        others = self._beside(key)
        are_alike = page.alike(others.elements, MOST_ELEMENTS, ALIKE)
        alike = others
        if False in are_alike:
            alike = self._among(list(compress(others.references, are_alike)))
        judgement = PageJudgement(page, others, alike, template_pages, self)
        judgement.key = key
        # what is like none of them may be the first page of a new epoch, which wants it
        judgement.teaches = not self.read_only and (self._wants(key) or not alike.references)
        return judgement


class PageJudgement:
    """What other pages of its site say about a page: see :class:`scrapy_tps.engine.site.Judgement`.

    :param others: the other pages.
    :param alike: those of them that are made like this one.
    """

    __slots__ = (
        "_all",
        "_all_new",
        "_gone",
        "_least_new",
        "_others",
        "_page",
        "_witnesses",
        "alike",
        "digest",
        "full",
        "key",
        "pages",
        "part",
        "removes",
        "teaches",
    )

    def __init__(
        self,
        page: PageTexts,
        others: Compared,
        alike: Compared,
        template_pages: int | None,
        known: Known,
    ) -> None:
        self.pages, self.alike = len(others.references), len(alike.references)
        self.removes, self.digest = known.removes, known.digest
        self.full = template_pages is not None and known.removes
        self.key, self.teaches = b"", False
        self._page, self._others = page, others
        #: Those that tell what stands on all pages.
        self._witnesses = alike if template_pages is not None and self.alike >= template_pages else None
        self._all: Texts | None = None
        self._all_new = -1
        self._least_new = 0
        #: What was read last but for the texts that stay: which those are, and how much of it is new.
        self._gone: tuple[bytes | bytearray, int] | None = None
        # it is asked after pruning, and must not hold the page until then
        self.part = partial(_judge_part, others, alike, template_pages, known)

    @property
    def all_new(self) -> int:
        """The visible characters of the page that are new on the site."""
        if self._all_new < 0:
            self._all_new = self.texts_of().new_length
        return self._all_new

    def is_share_of_new(self, amount: int, share: float) -> bool:
        """Whether so many characters are this share of :attr:`all_new`: of a page full of news few texts are read."""
        if self._all is not None:
            return amount >= share * self._all.new_length
        if self._all_new >= 0 or self._gone is None:
            return amount >= share * self.all_new
        if not self._least_new:
            stays, found = self._gone
            self._least_new = self._page.new_characters(stays, self._others.texts, found, share, amount)
            if share * self._least_new <= amount:
                self._all_new = self._least_new
                return True
        # whoever asks for more than was found, reads all: else each question would read from the start
        return share * self._least_new <= amount and amount >= share * self.all_new

    def texts_of(self, stays: bytes | bytearray | None = None) -> SiteTexts:
        """What they say about the texts of the page, or at least of those that do not stay."""
        if self._all is not None:
            return self._all
        others, held = self._others, None
        if self.pages:
            held = others.texts
        if stays is not None and not self.teaches:
            found = self._page.compared(stays, held, None, others.kept)
            self._gone = stays, found.new_length
            return found
        common = self._witnesses.common_pairs if self._witnesses is not None and self.alike else None
        self._all = found = self._page.compared(None, held, common, others.kept)
        return found

    def lesson(self, stayed: bytes | bytearray) -> Reference:
        """What the page teaches; `stayed`: a byte for each node, 1 where it stays whatever is known of the site."""
        return Reference.of(self.key, self._page.elements, self._page.all(), stayed)


def _judge_part(
    others: Compared,
    alike: Compared,
    template_pages: int | None,
    known: Known,
    sequence: TagPathSequence,
) -> Judgement:
    """The judgement of a page, about what is left of it."""
    return PageJudgement(page_texts(sequence), others, alike, template_pages, known)
