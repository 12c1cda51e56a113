"""What spiders asked for on a site that pruning had taken: plain knowledge, which can be stored, and merged."""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.engine.asking.queries import analyse
from scrapy_tps.engine.selectors import compile_selector

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from typing_extensions import Self

#: Places that are remembered of a site, and sites.
MOST_PLACES: Final = 50
MOST_SITES: Final = 1000
#: Steps from the ``body`` down to a place, names of a step, characters of a query or name: nothing longer is learnt.
MOST_STEPS: Final = 48
MOST_NAMES: Final = 4
LONGEST_QUERY: Final = 300
LONGEST_NAME: Final = 60
#: Names that may be the same on another page of a site: those with digits count something.
_NAME: Final = re.compile(r"[A-Za-z_-]+")
_TAG: Final = re.compile(r"[A-Za-z_][\w.-]*")
#: The end of a query that turns elements into texts or values of attributes.
_VALUES: Final = re.compile(r"::(?:text|attr\([^)]*\))$|//?text\(\)$|/(?:/)?@[\w-]+$")
_VERSION: Final = 1


@dataclass(frozen=True, slots=True, order=True)
class Step:
    """An element on the way from the ``body`` to a place: its tag, and what tells it from its siblings.

    :ivar id: its ``id``, empty if it has none or one with a digit.
    :ivar classes: words of its class, sorted; none where there is an id.
    """

    tag: str
    id: str = ""
    classes: tuple[str, ...] = ()

    @property
    def css(self) -> str:
        """The step as CSS."""
        return self.tag + (f"#{self.id}" if self.id else "".join(f".{name}" for name in self.classes))


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where a site has what a query asks for.

    :ivar steps: from the ``body``, which is not among them, down to the elements that the query found, or to those
        that hold the texts that it found.
    :ivar inside: so many of these steps are to something that stays of itself, the part that was asked or the list that
        lacked some; 0: the query found nothing on a whole page.
    """

    steps: tuple[Step, ...]
    inside: int = 0

    @property
    def css(self) -> str:
        """The place as a CSS selector."""
        return " > ".join(["body", *(step.css for step in self.steps)])

    @property
    def is_sound(self) -> bool:
        """Whether it is within the bounds, and its names are such as are learnt."""
        return (
            0 < len(self.steps) <= MOST_STEPS
            and 0 <= self.inside < len(self.steps)
            and all(
                _TAG.fullmatch(step.tag)
                and len(step.classes) <= MOST_NAMES
                and all(is_lasting(name) for name in (*step.classes, *([step.id] if step.id else [])))
                for step in self.steps
            )
        )


@dataclass(frozen=True, slots=True, order=True)
class Learnt:
    """A query, and a place in which it found something that pruning had taken.

    :ivar query: the XPath; that of a CSS selector is what parsel makes of it.
    :ivar written: as the spider wrote it, where that is known.
    """

    query: str
    place: Place
    written: str = ""

    @property
    def asked(self) -> str:
        """The query as the spider wrote it."""
        return self.written or self.query

    @property
    def keep_selector(self) -> str:
        """A CSS selector or XPath of what is to stay: that of the query, where it selects from the page by a name."""
        if not self.place.inside and not analyse(self.query).generic:
            elements = _VALUES.sub("", self.asked.strip())
            with suppress(ValueError):
                compile_selector(elements)
                return elements
        return self.place.css

    @property
    def is_sound(self) -> bool:
        """Whether it is within the bounds."""
        return max(len(self.query), len(self.written)) <= LONGEST_QUERY and self.place.is_sound

    def to_list(self) -> list[Any]:
        """The same as plain data, ready for JSON."""
        steps = [[step.tag, step.id, *step.classes] for step in self.place.steps]
        return [self.query, self.written, self.place.inside, steps]

    @classmethod
    def from_list(cls, data: Any) -> Self:
        """The reverse of :meth:`to_list`; raises ``ValueError`` where `data` is nothing of that kind."""
        try:
            query, written, inside, steps = data
            place = Place(tuple(Step(tag, name, tuple(classes)) for tag, name, *classes in steps), inside)
            found = cls(query, place, written)
            if isinstance(query, str) and isinstance(written, str) and type(inside) is int and found.is_sound:
                return found
        except (TypeError, ValueError):
            pass
        raise ValueError(f"{str(data)[:100]!r} is no learnt query")


class SiteQueries:
    """What is known of a site: queries that pruning left nothing, and where it had what they ask for.

    A set with union. Of more than :data:`MOST_PLACES` those with the smallest digests stay, so that knowledge can be
    merged in any order, any number of times, and always comes to the same.
    """

    __slots__ = ("_found", "_ordered")

    def __init__(self, found: Iterable[Learnt] = ()) -> None:
        self._found: dict[Learnt, bytes] = {}
        self._ordered: tuple[Learnt, ...] | None = None
        for one in found:
            self.learn(one)

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[Learnt]:
        """Iterate in an order that only depends on what is known."""
        if self._ordered is None:
            self._ordered = tuple(sorted(self._found))
        return iter(self._ordered)

    def __contains__(self, one: object) -> bool:
        return one in self._found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SiteQueries) and self._found == other._found

    __hash__ = None  # type: ignore[assignment]

    def learn(self, one: Learnt) -> bool:
        """Take over what was found; return whether that was news."""
        if one in self._found or not one.is_sound:
            return False
        self._found[one] = digest_of(one)
        self._ordered = None
        if len(self._found) > MOST_PLACES:
            last = max(self._found, key=lambda known: self._found[known])
            del self._found[last]
            return last != one
        return True

    def merge(self, other: SiteQueries) -> None:
        """Take over all that `other` knows."""
        for one in other:
            self.learn(one)

    def keep_selectors(self) -> list[str]:
        """What to give :setting:`TPS_KEEP`, so that it stays from the first page on."""
        return list(dict.fromkeys(one.keep_selector for one in self))

    def to_bytes(self) -> bytes:
        """Return all of it as bytes, the same for the same knowledge: JSON."""
        return json.dumps([_VERSION, [one.to_list() for one in self]], separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """The reverse of :meth:`to_bytes`; raises ``ValueError`` where `data` is something else."""
        try:
            version, found = json.loads(data)
        except (TypeError, ValueError, RecursionError):
            raise ValueError("these bytes are no learnt queries") from None
        if version != _VERSION or not isinstance(found, list):
            raise ValueError(f"learnt queries of version {version!r}; this scrapy-tps reads {_VERSION}")
        return cls(map(Learnt.from_list, found))


class LearntQueries:
    """What is known of the sites of a crawl; those that were used least recently are forgotten.

    :param most_sites: so many sites are held.
    """

    def __init__(self, most_sites: int = MOST_SITES) -> None:
        self._most_sites = most_sites
        self._sites: OrderedDict[str, SiteQueries] = OrderedDict()
        self._changed: set[str] = set()
        self._earlier: dict[str, frozenset[Learnt]] = {}

    def __len__(self) -> int:
        return len(self._sites)

    def of(self, site: str) -> SiteQueries | None:
        """Return what is known of a site; None if that is nothing."""
        found = self._sites.get(site)
        if found is not None:
            self._sites.move_to_end(site)
        return found

    def learn(self, site: str, found: Iterable[Learnt]) -> bool:
        """Take over what was found on a page of a site; return whether any of it was news."""
        known = self._sites.setdefault(site, SiteQueries())
        self._sites.move_to_end(site)
        news = [known.learn(one) for one in found]
        if any(news):
            self._changed.add(site)
        while len(self._sites) > self._most_sites:
            self.forget(next(iter(self._sites)))
        return any(news)

    def remember(self, site: str, found: SiteQueries) -> None:
        """Take over what earlier crawls learnt of a site: it is known, and no news of this one."""
        changed = site in self._changed
        self.learn(site, found)
        self._earlier[site] = frozenset(found)
        if not changed:
            self._changed.discard(site)

    def forget(self, site: str) -> None:
        """Forget what is known of a site, if anything is."""
        self._sites.pop(site, None)
        self._earlier.pop(site, None)
        self._changed.discard(site)

    def changed(self) -> dict[str, SiteQueries]:
        """Return what is known of the sites of which something was learnt since this was last asked."""
        found = {site: self._sites[site] for site in sorted(self._changed)}
        self._changed.clear()
        return found

    def sites(self) -> Mapping[str, SiteQueries]:
        """All that this crawl has learnt, by site."""
        learnt = {
            site: SiteQueries(one for one in known if one not in self._earlier.get(site, ()))
            for site, known in sorted(self._sites.items())
        }
        return {site: known for site, known in learnt.items() if known}


def step_of(elements: Iterable[Any]) -> Step:
    """Return the step that leads to elements of one tag: what their ids and classes have in common."""
    tag, ids, common = "", set(), None
    for element in elements:
        tag = element.tag
        ids.add(element.get("id") or "")
        names = {name for name in (element.get("class") or "").split() if is_lasting(name)}
        common = names if common is None else common & names
    (one, *others) = ids
    if one and not others and is_lasting(one):
        return Step(tag, one)
    return Step(tag, "", tuple(sorted(common or ())[:MOST_NAMES]))


def is_lasting(name: Any) -> bool:
    """Whether a class or id may be the same on other pages of a site."""
    return isinstance(name, str) and len(name) <= LONGEST_NAME and _NAME.fullmatch(name) is not None


def digest_of(one: Learnt) -> bytes:
    return blake2b(json.dumps(one.to_list()).encode(), digest_size=16).digest()
