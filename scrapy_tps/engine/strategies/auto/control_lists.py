"""Lists of links and of options: short links whose markup occurs nowhere else, and controls of a search.

Lists to choose from (``select``) are removed like other controls (`certain-boilerplate`). They come back if they are
between records or hold values, and stay if they hold most of the page's text. Long lists next to the main content lose
their options, because these are search criteria.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from itertools import compress, pairwise
from typing import TYPE_CHECKING, Final

from scrapy_tps.engine.invisible import options_sent
from scrapy_tps.engine.loops import parts
from scrapy_tps.engine.native import compiled
from scrapy_tps.engine.sequence.columns import ELEMENT
from scrapy_tps.engine.strategies.auto.queries import WITHIN_LINES, form_of, method_of, priced, within
from scrapy_tps.engine.strategies.auto.thresholds import (
    ENOUGH_PROSE,
    FEW_OPTIONS,
    LinkLists,
    Thresholds,
    needed,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy_tps.engine.strategies.auto.decisions import Removal
    from scrapy_tps.engine.strategies.auto.page import Page


@dataclass(frozen=True, slots=True)
class Choices(Thresholds):
    options: int = needed(FEW_OPTIONS)
    said: int = ENOUGH_PROSE  # the options are the content of a page with less other text


_link_lists: Final = compiled(parts.link_lists)

#: Definitions are removed only with their term: in a glossary or a table of contents, a definition of links alone is
#: not a separate list. Links in an article are its topics.
_WHOLE: Final = frozenset({"dd", "article"})


def link_lists(page: Page, limits: LinkLists) -> list[Removal]:
    """Remove lists of at least three short links with little other text, outside records.

    None of their tag paths may occur elsewhere: on the Testbed, records on another 5.8 % of the pages are lost without
    this condition. A list next to the first heading is the subject of the heading, and an element within lines next to
    a link holds some lines of its parent's list.
    """
    if not page.weight_before[-1]:
        return []
    whole, plain = set(page.sequence.find(_WHOLE)), page.sequence.symbols_with(limits.plain)
    found = _link_lists(page.columns, limits, page.links, whole, plain)
    parent = page.parent
    beside = parent[page.first_heading] if page.first_heading >= 0 else -1
    linking = {parent[link] for link in page.links} if found else set()
    where = "nowhere else" + (", except in lists like it" if limits.together else "")
    return [
        (start, stop, "links", f"a list of {links} links whose markup occurs {where}")
        for start, stop, links in found
        if parent[start] != beside
        and not (parent[start] in linking and page.sequence.tag_of(start) in WITHIN_LINES)
    ]


def alike_lists(page: Page, limits: LinkLists) -> list[Removal]:
    """Remove such lists if they are alike, menu, column and footer, and the few words next to one near the page's end.

    If all together are small, they are compared to the rest of the page. With them gone, the rules of position would
    take numbers of results for surroundings: this runs after these.
    """
    found = link_lists(page, limits)
    lists = [start for start, _, rule, _ in (*page.removed, *found) if rule == "links"]
    known: dict[int, bool] = {}
    footers = {_footer_of(page, start, limits, known) for start in lists}.difference(lists)
    reason = "the rest of a footer of links"
    return found + [(part, page.end[part], "links", reason) for part in sorted(footers)]


def _footer_of(page: Page, part: int, limits: LinkLists, known: dict[int, bool]) -> int:
    """Return the largest part around a list near the page's end with little text outside links, or the list.

    :param known: whether the parts asked so far have little; lists of one parent would ask for it again.
    """
    outer, protections = part, page.protection_before
    while (outer := page.parent[outer]) > max(page.first_heading, 0):
        stop = page.end[outer]
        if protections[stop] != protections[outer] or page.share(outer, page.size) > limits.share:
            break
        if outer not in known:
            lengths = page.text_length[outer:stop]
            linked = sum(compress(lengths, page.in_link[outer:stop]))
            known[outer] = linked >= limits.rest * sum(lengths)
        if not known[outer]:
            break
        part = outer
    return part


_OPTION: Final = frozenset({"option"})

#: Numbers in order may have two other options: a prompt and one for all.
_BESIDE_NUMBERS: Final = 2

#: Longer numbers are identifiers.
_DIGITS: Final = 6

#: Values that are addresses: paths, queries, fragments, files.
_LEADS: Final = re.compile(r"[/?=#]|\.[A-Za-z]{2,5}$")

#: A script that opens the address of the chosen option.
_GOES: Final = re.compile("location|href|window.open|jumpMenu")

#: Names of a list of page numbers.
_PAGES: Final = re.compile("[Pp](?i:age(?!.?size)|agin)")

_INPUT: Final = frozenset({"input"})

#: Types of inputs for search terms.
_WORDS: Final = frozenset({"text", "search"})

#: Names of a list that sorts or filters results, or sets their number. The first letters (one is a long s) come first,
#: as in `reading.IS_WRITER`.
_SORTS: Final = re.compile(
    "[FfLlOoPpRrSs\u017f](?i:(?<=s)(?:ort|earch)|(?<=o)rder|(?<=r)(?:ank|ange|esults?(?![a-z]))|(?<=f)ilter|(?<=l)imit"
    "|(?<=p)(?:er.?page|age.?size))"
)


def are_sizes(page: Page, options: Sequence[int]) -> bool:
    """Whether nearly all options are numbers in order, and send these numbers: sizes of a product send others."""
    numbers = []
    for option in options:
        text = _text(page, option)
        if text.isdecimal() and len(text) <= _DIGITS:
            value = page.sequence.value_of(option, "value")
            if value is not None and value.strip() != text:
                return False
            numbers.append(int(text))
    in_order = sum(abs(after - before) == 1 for before, after in pairwise(numbers))
    return in_order >= len(options) - 1 - _BESIDE_NUMBERS


def holds_values(page: Page, select: int, few: int, share: float, size: int) -> bool:
    """Whether a list to choose from holds a few values, addresses, pages, prices or data.

    Sort orders and filters of a search do not count.

    :param share: a list with more of the page's text is its menu, and a form with more of it is not a search.
    :param size: the characters of the page.
    """
    stop = page.end[select]
    options = within(page, _OPTION, select, stop)
    if not options or _SORTS.search(names := _names(page, select)):
        return False
    if _PAGES.search(names) and are_sizes(page, options):
        return True
    form = form_of(page, select)
    return (
        page.length_of(select, stop) <= share * size
        and not (form > 0 and page.share(form, page.end[form]) <= share and _asks_for_words(page, form))
        and (len(options) < few or is_form_data(page, select, options[:few]))
    )


def _asks_for_words(page: Page, form: int) -> bool:
    value_of = page.sequence.value_of
    return any(
        (value_of(place, "type") or "text").strip().lower() in _WORDS
        for place in within(page, _INPUT, form, page.end[form])
    )


def _names(page: Page, select: int) -> str:
    return "\n".join(page.sequence.value_of(select, name) or "" for name in ("name", "id", "class"))


def is_form_data(page: Page, select: int, options: Sequence[int]) -> bool:
    sequence = page.sequence
    if _GOES.search(sequence.value_of(select, "onchange") or ""):
        return True
    if _PAGES.search(_names(page, select)) and are_sizes(page, options):
        return True
    if any(_LEADS.search(value or "") for value in sequence.values_of(options, "value")):
        return True
    if any(name.startswith("data-") for option in options for name in sequence.nodes[option].attrib):
        return True
    return any(priced(page, options[0], page.end[options[-1]], page.is_text))


def _text(page: Page, option: int) -> str:
    return "".join(map(page.sequence.text_of, range(option + 1, page.end[option]))).strip()


_SELECT: Final = frozenset({"select"})

_OPTIONS: Final = frozenset({"option", "optgroup"})


def choices(page: Page, limits: Choices) -> list[Removal]:
    """Remove the options of long lists except for the selected ones, and both ends of a row of numbers.

    This applies to a list with multiple choice, in a form that sends an address (``method=get``), or of whole numbers
    in order, such as years and pages. Options with prices or data of their own and those that lead to pages stay. A
    list that holds other content than options also stays (the parser leaves unclosed lists open), and all lists stay on
    a page with little other text.
    """
    sequence = page.sequence
    selects = [place for place in sequence.find(_SELECT) if page.alive[place]]
    texts, end = page.text_before, page.end
    if not selects or texts[-1] - sum(texts[end[one]] - texts[one] for one in selects) < limits.said:
        return []
    removals: list[Removal] = []
    for select in selects:
        start, stop = select + 1, end[select]
        below = within(page, _OPTIONS, start, stop)
        if len(below) < limits.options or len(below) != sequence.kinds[start:stop].count(ELEMENT):
            continue
        options = [place for place in below if sequence.tag_of(place) == "option"]
        if len(options) < limits.options or is_form_data(page, select, options):
            continue
        kept, what = options_sent(sequence, options), "the selected options"
        if are_sizes(page, options):
            kept, what = sorted({*kept, options[0], options[-1]}), "the selected options and both ends"
        elif sequence.value_of(select, "multiple") is None and method_of(page, select) != "get":
            continue
        reason = f"all but {what} of a list of {len(options)}"
        removals += [(*part, "choices", reason) for part in _without(page, start, stop, kept)]
    return removals


def _without(page: Page, start: int, stop: int, kept: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the longest runs of siblings among nodes [start, stop) that hold none of these ascending nodes."""
    run = place = start
    while place < stop:
        number = bisect_left(kept, place)
        holds = number < len(kept) and kept[number] < page.end[place]
        if run < place and (holds or page.parent[place] != page.parent[run]):
            yield run, place
            run = place
        place = place + 1 if holds and kept[number] != place else page.end[place]
        if holds:
            run = place
    if run < stop:
        yield run, stop
