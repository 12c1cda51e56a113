"""How much each kind of evidence may remove: the thresholds of the strategies, with what they rest on."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from scrapy_tps.strategies.splits import MOST_PROSE


@dataclass(frozen=True, slots=True)
class Limits:
    """Shares are of the worth of the page's text; docs/auto.md has the measurements behind each.

    :ivar sure: what marks furniture by tag or role (navigation, dialogs, controls, hidden parts) goes up to
        this share; more than that is the page itself.
    :ivar edge: header and footer at the page's edges go up to this share; consent dialogs too.
    :ivar notice: announcements, promotions and sign-ups at the edges up to this one (the topics of a board, called
        announcements, were the page).
    :ivar rest: so much must be left in any case.
    :ivar prose: hidden parts and dialogs that hold more of the prose stay.
    :ivar marked_prose: parts marked by class or id tokens only that hold more of the prose stay.
    :ivar marked, marked_links: parts marked by softer hints go up to this share, when text outweighs links
        in them and otherwise …
    :ivar anchored, anchored_links: … and up to this one where free record groups show the main content.
    :ivar anchor: share of the best free group that does so.
    :ivar frequency: markup that occurs more often with the same hint belongs to records.
    :ivar titled: … but for menus beside so many characters on average: bars of tools below the titles of records.
    :ivar guarded: groups of at least this share are protected, besides the best one.
    :ivar suspect: weight of groups inside of marked parts when the best one is chosen.
    :ivar suspect_share: and only with this share is such a group protected.
    :ivar main: a main element holding more than this share makes the rest go.
    :ivar list: disjoint link lists go up to this share.
    :ivar dominance: record groups of this share make what surrounds them go …
    :ivar outside_prose: … where prose outside of them is no more than this share of the page …
    :ivar surrounding, link_surrounding: … in parts of up to this share (of short links: the second) …
    :ivar surrounding_total: … and this one in all …
    :ivar surrounding_prose: … unless they hold this share of the prose.
    :ivar side_prose: sides of splits that hold more prose, in characters, stay.
    :ivar text_prose: the same for what stands beside a text that dominates the page (``aggressive``).
    :ivar beside_text, links_beside_text: parts of up to this share go around a text that dominates the page (of short
        links: the second).
    :ivar comments: comments below a long text go up to this share.
    :ivar dialog_prose: dialogs that are not hidden and hold more of the prose stay.
    :ivar copies: parts that repeat an earlier one go up to this share: of two equal parts neither is more than half.
    """

    sure: float = 0.7
    edge: float = 0.9
    notice: float = 0.2
    rest: float = 0.02
    prose: float = 0.3
    dialog_prose: float = 0.1
    marked_prose: float = 0.1
    marked: float = 0.35
    marked_links: float = 0.7
    anchored: float = 0.6
    anchored_links: float = 0.9
    anchor: float = 0.15
    frequency: int = 5
    titled: float = 30.0
    guarded: float = 0.05
    suspect: float = 0.25
    suspect_share: float = 0.3
    main: float = 0.5
    list: float = 0.1
    dominance: float = 0.3
    outside_prose: float = 0.2
    surrounding: float = 0.06
    link_surrounding: float = 0.15
    surrounding_total: float = 0.35
    surrounding_prose: float = 0.02
    side_prose: float = MOST_PROSE
    text_prose: float = 0.05
    beside_text: float = 0.15
    links_beside_text: float = 0.3
    comments: float = 0.95
    copies: float = 0.5

    def scaled(self, slack: float) -> Limits:
        """These limits for a more careful size ratio: what may go shrinks with `slack` (at most 1)."""
        if slack >= 1.0:
            return self
        scale = max(0.0, slack)
        return replace(self, **{name: getattr(self, name) * scale for name in _SCALED})


_SCALED = tuple(
    one.name
    for one in fields(Limits)
    if one.name
    in {
        "sure",
        "edge",
        "notice",
        "marked",
        "marked_links",
        "anchored",
        "anchored_links",
        "list",
        "surrounding",
        "link_surrounding",
        "surrounding_total",
        "beside_text",
        "links_beside_text",
        "comments",
        "copies",
    }
)
