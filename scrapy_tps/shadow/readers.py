"""Callbacks that read the text of pages: which of their pages are compared, and which give the text as downloaded."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from scrapy_tps.shadow.judged import Judged, removed_parts

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_tps.engine.fallback.usage import Fallbacks
    from scrapy_tps.engine.pruned_page import Pruning
    from scrapy_tps.shadow.judged import Part

#: The most comparisons of a callback and site.
MOST_COMPARISONS: Final = 30


def read_outside(_: Fallbacks, module: str) -> bool:
    """Give the text as downloaded to code that is not compared: middlewares, errbacks, contracts, later callbacks.

    scrapy-poet makes page objects from the pruned text, because their callback is compared.
    """
    return not module.startswith("scrapy_poet.")


def read_whole(usage: Fallbacks, _: str) -> bool:
    """Give the text as downloaded."""
    usage.texts += 1
    return True


class TextReader:
    """A callback on a site, and the results of its comparisons.

    :ivar reads: whether it has read the text of a page.
    :ivar whole: whether its reads get the text as downloaded from now on: no setting keeps what it needs, or it cannot
        be compared.
    :ivar comparing: whether a page is being compared. Meanwhile others get the text as downloaded.
    """

    def __init__(self, *, whole: bool = False) -> None:
        self.whole = whole
        self.comparing = False
        self.judged = Judged()
        self.comparisons = 0
        self.reads = self._started = False

    def expects_reads(self) -> bool:
        """Whether the next page has to be prepared for a comparison: it is the first one, or others were read."""
        first, self._started = not self._started, True
        return not self.whole and (first or self.reads)

    def read_unexpectedly(self, usage: Fallbacks, _: str) -> bool:
        """Give the text as downloaded to a callback whose page was not prepared; the next ones are."""
        self.reads = True
        usage.texts += 1
        return True


class PageReads:
    """The reads of the text of a prepared page. The first one decides whether it is compared.

    :param is_late: returns whether the page was pruned with settings that no longer hold.
    :param before: whether page objects have read the text, before the callback.
    :ivar compared: whether the page is compared: no compared page had all of its removed parts. Then the callback reads
        the text as downloaded.
    :ivar used_up: whether it would be, but the comparisons of the callback and site are used up.
    """

    def __init__(
        self, reader: TextReader, pruning: Pruning, is_late: Callable[[], bool], *, before: bool = False
    ) -> None:
        self.reader, self.before = reader, before
        self.compared = self.used_up = False
        self._pruning, self._is_late = pruning, is_late
        self._parts: set[Part] = set()
        self._whole: bool | None = None

    def read(self, usage: Fallbacks, _: str) -> bool:
        """Count a read; return whether it gets the text as downloaded."""
        usage.texts += 1
        return self.is_whole()

    def is_whole(self) -> bool:
        """Whether the callback reads the text as downloaded; the first call decides."""
        if self._whole is None:
            self.reader.reads = self._whole = True  # an error below costs nothing
            with suppress(Exception):
                self._whole = self._decided()
        return self._whole

    def _decided(self) -> bool:
        reader = self.reader
        if reader.whole or reader.comparing or self._is_late():
            return True
        parts = removed_parts(self._pruning)
        if parts is None:
            return True
        if reader.judged.has_all(parts):
            return False
        self._parts = parts
        self.used_up = reader.comparisons >= MOST_COMPARISONS or reader.judged.is_full
        if not self.used_up:
            reader.comparing = self.compared = True
            reader.comparisons += 1
        return True

    def judge(self) -> None:
        """Note that the page was compared: other pages with the same removed parts need not be."""
        self.reader.judged.add(self._parts)

    def end(self, usage: Fallbacks) -> None:
        """Let other pages of the callback be compared; later reads of this one get the text as downloaded."""
        usage.on_text = read_outside
        if self.compared:
            self.reader.comparing = False
