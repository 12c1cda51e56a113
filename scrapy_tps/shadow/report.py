"""A checked page in words, for the log and ``scrapy tps-check``, and as JSON."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from scrapy_tps.engine.pruned_page import page_of
from scrapy_tps.shadow.differences import REQUEST, Form
from scrapy_tps.stats.figures import counted
from scrapy_tps.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from scrapy_tps.proposals.proposal import Proposals
    from scrapy_tps.shadow.check import PageCheck
    from scrapy_tps.shadow.differences import Change
    from scrapy_tps.shadow.locate import LossExplanation, Missing, Place

#: The number of outputs of each kind that the log shows, and of removed parts: they mostly share a cause.
MOST_SHOWN = 5

#: Characters of a value that are shown, and of two long ones before they differ; values of a removed part.
SHOWN = 80
_CONTEXT = 20
MOST_LISTED = 6

#: Equal items of a page that the text shows, and the width of its left column.
EQUAL_SHOWN = 3
WIDTH = SHOWN + 2

SAME, LOSS, UNCHECKED = "same", "loss", "unchecked"

_TRIED = {
    True: " (tried: with it nothing is lost)",
    False: " (tried: with it something is still lost)",
    None: "",
}


def summary(check: PageCheck) -> str:
    """Return the losses, in one line."""
    parts = [
        f"{len(losses.lost)} of {losses.number} {what} lost, {len(losses.changed)} changed"
        + (f", {len(losses.extra)} that the original does not give" if losses.extra else "")
        for what, losses in check.difference._asdict().items()
    ]
    return "; ".join(parts) + ("; the callback failed" if check.failed_pruned else "")


def losses(check: PageCheck, most: int | None = None) -> Iterator[str]:
    """Yield each lost or changed output, with the changed fields and the places of their values.

    Outputs whose values were found come first, because a failed callback never reached others.

    :param most: outputs of each kind that are shown; None for all.
    """
    if check.pruned.error is not None:
        yield f"with pruning the callback fails: {check.pruned.error!r}"
    for losses in check.difference:
        lost = sorted(losses.lost, key=lambda form: not check.places_of(form))
        yield from (f"- {_output(form):{WIDTH}} missing" for form in lost[:most])
        for change in losses.changed[:most]:
            yield f"~ {_output(change.original):{WIDTH}} {_output(change.pruned)}"
            yield from _changed_fields(change, check.places_of(change.original))
        yield from (f"+ {'':{WIDTH}} {_output(form)}" for form in losses.extra[:most])
    found = [some for one in check.difference for some in (one.lost, one.changed, one.extra)]
    further = sum(len(some[most:]) for some in found if most)
    if further:
        yield f"… and {further} more"


def _changed_fields(change: Change, places: Mapping[str, Place]) -> Iterator[str]:
    for name in change.fields:
        before, after = repr(change.original.fields.get(name)), repr(change.pruned.fields.get(name))
        pairs = enumerate(zip(before, after, strict=False))
        differ = next((at for at, (one, other) in pairs if one != other), 0)
        start = max(0, differ - _CONTEXT) if max(len(before), len(after)) > SHOWN else 0
        where = ""
        if name in places:
            where = f"  (was in {places[name].xpath}, removed with {places[name].removed})"
        yield f"    {name}: {_excerpt(before, start)} -> {_excerpt(after, start)}{where}"


def causes(explanation: LossExplanation) -> Iterator[str]:
    """Yield the removed parts that held the missing values, and the remedy."""
    parts: dict[str, list[Missing]] = {}
    for one in explanation.missing:
        parts.setdefault(one.place.part if one.place else "", []).append(one)
    elsewhere = parts.pop("", None)
    for part, held in islice(parts.items(), MOST_SHOWN):
        yield f"removed: {part} held {_listed(held)}"
    if len(parts) > MOST_SHOWN:
        yield f"removed: {len(parts) - MOST_SHOWN} more parts that held values of these"
    if elsewhere:
        yield (
            "not a whole value of a removed part (a piece of a text, computed, never reached, or selected by "
            f"position): {_listed(elsewhere)}"
        )
    if explanation.keep:
        yield f"to keep it, add to TPS_KEEP: {list(explanation.keep)!r}{_TRIED[explanation.works]}"
    else:
        yield 'to keep it: TPS_KEEP with a selector of the part, or TPS_DOMAINS = {"…": False}'


def _listed(held: list[Missing]) -> str:
    text = ", ".join(f"{one.field} {_excerpt(repr(one.value))}" for one in held[:MOST_LISTED])
    return text if len(held) <= MOST_LISTED else f"{text} and {len(held) - MOST_LISTED} more"


def _output(form: Form) -> str:
    return _excerpt(repr(form.fields if form.identity is None else form.fields.get("url")))


def _excerpt(text: str, start: int = 0) -> str:
    text = f"…{text[start:]}" if start else text
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


@dataclass(slots=True)
class PageReport:
    """One page.

    :ivar url, callback: the page, and the callback that parsed it.
    :ivar problem: why it could not be checked; None if it was.
    :ivar check: the two runs compared; None if there were none.
    """

    url: str
    callback: str
    problem: str | None = "the crawl ended before that; the log has the reason"
    check: PageCheck | None = None

    @property
    def verdict(self) -> str:
        """``same``, ``loss`` or ``unchecked``."""
        return UNCHECKED if self.problem or self.check is None else LOSS if self.check.costs else SAME

    def lines(self) -> Iterator[str]:
        """Yield the page for people."""
        yield self.url
        if self.check is None:
            yield f"  not checked: {self.problem}"
            return
        check, pruning = self.check, self.check.visit.response.tps
        removed = pruning.raw_nodes - pruning.kept_nodes
        yield (
            f"  {self.callback}: {pruning.outcome}, {removed:,} of {pruning.raw_nodes:,} nodes removed "
            f"({pruning.reduction:.1%})"
        )
        yield from (f"  {line}" for line in (*_equal(check), *losses(check)))
        yield f"  not checked: {self.problem}" if self.problem else f"  {summary(check)}"
        if check.explanation is not None:
            yield from (f"    {line}" for line in causes(check.explanation))
            if pruning.selector_usage.texts:
                yield "    the callback reads past selectors: in a crawl, TPS_COMPARE restores such losses"
        off = "" if page_of(pruning).settings.fallback else " (TPS_FALLBACK is off)"
        selectors = list(check.selectors())
        width = max((len(selector) for selector, _, _ in selectors), default=0)
        yield from ["  selectors:"] if selectors else ()
        for selector, use, more in selectors:
            hint = f"; without pruning it finds something {counted(more, 'time')} more{off}" if more else ""
            yield f"    {selector:{width}}  {use}{hint}"

    def to_dict(self) -> dict[str, Any]:
        """Return the page as plain data: the outputs of both runs, their difference, the results of selectors, the
        causes."""
        data = {name: getattr(self, name) for name in ("url", "callback", "verdict", "problem")}
        if self.check is None:
            return data
        check, pruning = self.check, self.check.visit.response.tps
        return data | {
            "outcome": pruning.outcome,
            "nodes_before": pruning.raw_nodes,
            "nodes_after": pruning.kept_nodes,
            "reduction": round(pruning.reduction, 4),
            "error": repr(check.pruned.error) if check.failed_pruned else None,
            "without_pruning": [form.fields for form in check.original.forms],
            "with_pruning": [form.fields for form in check.pruned.forms],
            **{what: asdict(losses) for what, losses in check.difference._asdict().items()},
            "selectors": [
                {"selector": selector, **asdict(use), "nothing": use.nothing, "more_without_pruning": more}
                for selector, use, more in check.selectors()
            ],
            "explanation": check.explanation and asdict(check.explanation),
        }


def _equal(check: PageCheck) -> Iterator[str]:
    """Yield the heading of the two columns, and the items from both pages."""
    items = check.difference.items
    unequal = {id(form) for form in (*items.lost, *(change.original for change in items.changed))}
    equal = [form for form in check.original.forms if form.kind != REQUEST and id(form) not in unequal]
    if items.number or items.extra:
        yield f"  {'without pruning':{WIDTH}} with pruning"
    yield from (f"= {_output(form):{WIDTH}} the same" for form in equal[:EQUAL_SHOWN])
    if len(equal) > EQUAL_SHOWN:
        yield f"= {len(equal) - EQUAL_SHOWN:,} more are the same"


def check_text(pages: Sequence[PageReport], proposals: Proposals) -> str:
    """Return all pages for people, with proposals, and a line about all of them."""
    counts = Counter(page.verdict for page in pages)
    total = (
        f"{counted(len(pages), 'page')}: {counts[SAME]} the same with and without pruning, "
        f"{counts[LOSS]} lost something, {counts[UNCHECKED]} not checked"
    )
    lines = [line for page in pages for line in (*page.lines(), "")]
    for (site, callback, name), one in sorted(proposals.items()):
        lines += [f"On {site} (callback {callback}), {one.note(name)}", ""]
    return "\n".join([*map(printable, lines), total]) + "\n"


def check_json(spider: str, pages: Sequence[PageReport], proposals: Proposals) -> str:
    """Return all pages, and proposals, as one JSON object."""
    data = {
        "spider": spider,
        "exit_status": exit_status(pages),
        "pages": [page.to_dict() for page in pages],
        "proposals": [
            {"site": site, "callback": callback, "selector": name, "proposal": one.to_dict()}
            for (site, callback, name), one in sorted(proposals.items())
        ],
    }
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def exit_status(pages: Iterable[PageReport]) -> int:
    """Return 1 if a page lost something, else 2 if one could not be checked, else 0."""
    verdicts = {page.verdict for page in pages}
    return 1 if LOSS in verdicts else 0 if verdicts == {SAME} else 2
