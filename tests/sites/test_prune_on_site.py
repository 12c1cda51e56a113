from __future__ import annotations

import random
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.http import HtmlResponse

from scrapy_tps import Pruning, prune, prune_response
from scrapy_tps.engine.prune import prune_page
from scrapy_tps.engine.strategies.auto.on_site import with_site
from scrapy_tps.engine.strategies.auto.strategy import AggressiveStrategy, AutoStrategy
from scrapy_tps.settings.definitions import page_settings
from scrapy_tps.sites import SiteModel
from scrapy_tps.sites.reference import page_key
from tests.support.site import ABOUT, ADDRESS, article, sentence

if TYPE_CHECKING:
    from scrapy_tps.engine.strategies import Selection

EAGER = {"TPS_MIN_NODES": 0, "TPS_SITE_TEMPLATE_PAGES": 2}
STRATEGIES = ("auto", "aggressive", "tps")
#: Text of its own, as recipes have in a sidebar.
INGREDIENTS = [sentence(random.Random(1000 + number), 25) for number in range(20)]


def pruned(body: str, site: SiteModel | None, number: int = 0, **settings: object) -> Pruning:
    return prune(body, url=ADDRESS.format(number), settings={**EAGER, **settings}, site=site)


def taught(*bodies: str, **settings: object) -> SiteModel:
    model = SiteModel()
    for number, body in enumerate(bodies, 1):
        pruned(body, model, number, **settings)
    return model


def rules(pruning: Pruning) -> set[tuple[str, bool]]:
    return {(span.rule, span.kept) for span in pruning.spans}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_what_stands_on_every_page_goes_once_enough_pages_are_known(strategy: str) -> None:
    pages = [article(number) for number in range(4)]
    one, two = taught(*pages[1:2]), taught(*pages[1:3])
    known = pruned(pages[0], two, TPS_STRATEGY=strategy)
    assert ABOUT not in known.html
    assert "Story 0" in known.html
    assert ("template", False) in rules(known)
    assert any("all 2 other pages of this site" in removed.reason for removed in known.removed())
    assert ("template", False) not in rules(pruned(pages[0], one, TPS_STRATEGY=strategy))


def test_the_veto_alone_removes_nothing_for_standing_on_every_page() -> None:
    model = taught(*[article(number) for number in range(1, 4)])
    assert ABOUT in pruned(article(0), model, TPS_SITE="veto").html


def test_new_text_stays_where_names_would_take_it() -> None:
    body = article(0, beside=INGREDIENTS[0])
    alone = pruned(body, None)
    assert INGREDIENTS[0] not in alone.html
    model = taught(article(1, beside=INGREDIENTS[1]), TPS_SITE="veto")
    known = pruned(body, model, TPS_SITE="veto")
    assert INGREDIENTS[0] in known.html
    back = next(region for region in known.regions if region.rule == "site_veto")
    assert back.kept
    assert back.reason == "100% of its text is new on this site"


def test_known_text_goes_where_names_take_it() -> None:
    body = article(0, beside=INGREDIENTS[0])
    model = taught(article(1, beside=INGREDIENTS[0]), TPS_SITE="veto")
    assert INGREDIENTS[0] not in pruned(body, model, TPS_SITE="veto").html


def test_on_the_first_page_of_a_site_rules_of_position_take_nothing() -> None:
    records = "".join(
        f"<tr><td><b>Item {number} {sentence(random.Random(number), 5)}</b></td>"
        f"<td><i>{sentence(random.Random(number))}</i></td><td><u>{number}.50</u></td></tr>"
        for number in range(30)
    )
    body = (
        f"<body><div><p><i>Results for lamps in the whole catalogue</i></p></div><div><div><table>{records}</table>"
        "</div></div><div><em>All prices with tax</em></div></body>"
    )
    alone, first = pruned(body, None), pruned(body, SiteModel())
    assert {rule for rule, kept in rules(alone) if not kept} & {"surroundings", "split"}
    assert not {rule for rule, kept in rules(first) if not kept} & {"surroundings", "split", "links", "text"}
    assert "whole catalogue" in first.html


def test_fields_that_every_record_has_stay() -> None:
    def listing(number: int) -> str:
        chance = random.Random(number)
        rows = "".join(
            f"<li class='row'><b>{sentence(chance, 6)}</b><i>Delivered within three working days</i></li>"
            for _ in range(8 + number)
        )
        return f"<body><h1>List {number}</h1><ul class='list'>{rows}</ul></body>"

    model = taught(*[listing(number) for number in range(1, 4)])
    assert pruned(listing(0), model).html.count("three working days") == 8


def test_the_same_page_under_another_address_loses_nothing_more() -> None:
    model = taught(article(0), article(0))
    assert pruned(article(0), model).html == pruned(article(0), None).html


def test_the_same_page_among_others_that_are_made_alike_loses_nothing_more() -> None:
    model = taught(article(0), article(1), article(2))
    assert pruned(article(0), model).html == pruned(article(0), None).html


def test_of_a_part_only_what_stands_on_every_page_goes() -> None:
    def signed(number: int) -> str:
        return article(number).replace(f"<p>{ABOUT}</p>", f"<p>{ABOUT}</p><p>{INGREDIENTS[number]}</p>")

    known = pruned(signed(0), taught(*[signed(number) for number in range(1, 4)]))
    assert ABOUT not in known.html
    assert INGREDIENTS[0] in known.html


def test_nothing_goes_where_most_of_the_page_would() -> None:
    def notice(number: int) -> str:
        house = "".join(f"<p>{text}</p>" for text in INGREDIENTS[:8])
        own = f"<h1>Notice {number}</h1><p>{INGREDIENTS[9 + number]}</p>"
        return f"<body><article>{own}</article><div>{house}</div></body>"

    known = pruned(notice(0), taught(*[notice(number) for number in range(1, 4)]))
    assert INGREDIENTS[0] in known.html
    assert ("template", False) not in rules(known)


def test_comments_are_new_on_every_page_and_do_not_come_back() -> None:
    def discussed(number: int) -> str:
        chance = random.Random(500 + number)
        comments = "".join(
            f"<li class='comment'><b>Reader {place}</b><p>{sentence(chance, 30)}</p></li>"
            for place in range(6)
        )
        text = "".join(f"<p>{sentence(chance, 60)}</p>" for _ in range(20))
        return article(number).replace(
            "<div class='sidebar'>",
            f"{text}<ol id='comments' class='comments'>{comments}</ol><div class='sidebar'>",
        )

    known = pruned(discussed(0), taught(discussed(1), discussed(2), discussed(3)))
    assert ("comments", False) in rules(known)
    assert "Reader 3" not in known.html


def test_aggressive_begins_a_site_as_auto() -> None:
    first: Any = SimpleNamespace(pages=0)
    assert with_site(AggressiveStrategy(), first) == with_site(AutoStrategy(), first)


def test_a_page_is_not_its_own_witness() -> None:
    model = taught(article(1), article(2), article(3))
    body = article(0, beside=INGREDIENTS[0])
    first, again = (pruned(body, model) for _ in range(2))
    assert INGREDIENTS[0] in again.html
    assert again.html == first.html
    assert again.site_pages == 3


def test_the_account_says_what_it_was_compared_with() -> None:
    model = taught(article(1), article(2))
    digest = model.digest
    known = pruned(article(0), model)
    assert (known.site_pages, known.site_alike, known.site_digest) == (2, 2, digest)
    again = Pruning.from_dict(known.to_dict(), source=known.source, html=known.html)
    assert again.site_digest == digest
    assert pruned(article(0), None).site_digest is None


def test_a_page_teaches_the_model_unless_it_is_read_only() -> None:
    model = taught(article(1))
    digest = model.digest
    model.read_only = True
    pruned(article(2), model, 2)
    assert (len(model), model.digest) == (1, digest)
    model.read_only = False
    pruned(article(2), model, 2)
    assert len(model) == 2
    assert model.digest != digest


def test_switched_off_a_model_decides_nothing_and_learns_nothing() -> None:
    model = taught(article(1), article(2))
    digest = model.digest
    assert pruned(article(0), model, TPS_SITE="off").html == pruned(article(0), None).html
    assert model.digest == digest


def test_barred_from_removing_a_model_goes_on_keeping_what_is_new() -> None:
    model = taught(article(1), article(2))
    model.bar()
    known = pruned(article(0, beside=INGREDIENTS[0]), model)
    assert ABOUT in known.html
    assert INGREDIENTS[0] in known.html


def test_pages_made_otherwise_are_no_witnesses_of_a_template() -> None:
    other = f"<body><table><tr><td><font>{ABOUT}</font></td></tr></table></body>"
    known = pruned(article(0), taught(other, other.replace("font", "em")))
    assert (known.site_pages, known.site_alike) == (2, 0)
    assert ABOUT in known.html


def test_own_strategies_get_back_what_is_new() -> None:
    known = pruned(
        article(0),
        taught(article(1), TPS_STRATEGY="tests.sites.test_prune_on_site.Nothing"),
        TPS_STRATEGY="tests.sites.test_prune_on_site.Nothing",
    )
    assert known.pruned
    assert "Story 0" in known.html
    assert "The Coast Papers" not in known.html


class Marked(AutoStrategy):
    """``auto``, and the page says that it was asked."""

    def select(self, sequence: Any, *args: Any) -> Selection:
        chosen = super().select(sequence, *args)
        return replace(chosen, spans=[span._replace(reason="marked") for span in chosen.spans])


@pytest.mark.parametrize("known", [0, 1])
def test_a_table_that_a_user_extends_stays_what_it_is_whatever_is_known_of_the_site(known: int) -> None:
    model = taught(*[article(number) for number in range(1, 1 + known)])
    spans = pruned(article(0), model, TPS_STRATEGY=Marked()).spans
    assert {span.reason for span in spans} == {"marked"}


class Nothing:
    """Keeps nothing of a page, and changes its tree."""

    size_ratio = 0.5

    def select(self, sequence, size_ratio, settings):  # type: ignore[no-untyped-def]
        from scrapy_tps.engine.strategies import Selection, Span

        for node in sequence.nodes:
            node.attrib.clear()
        return Selection("pruned", [Span(1, len(sequence), False, "all of it", "mine")])


@pytest.mark.parametrize(
    "who",
    [
        "<a href='https://site.example/author/ann'>Ann Harbour</a>",
        "<b itemprop='author'>Ann Harbour</b>",
    ],
)
def test_data_that_is_the_same_on_all_pages_stays(who: str) -> None:
    def signed(number: int) -> str:
        box = (
            f"<div class='end'><p>All of it was written and photographed by</p><h2>{who}</h2></div></article>"
        )
        return article(number).replace("</article><div class='sidebar'>", f"{box}<div class='sidebar'>")

    known = pruned(signed(0), taught(*[signed(number) for number in range(1, 4)]))
    assert ABOUT not in known.html
    assert "Ann Harbour" in known.html


@pytest.mark.parametrize(
    ("holder", "row"),
    [
        ("table", "<tr><th>{}</th><td>{}</td></tr>"),
        ("dl", "<dt>{}</dt><dd>{}</dd>"),
        ("ul", "<li><b>{}</b> <i>{}</i></li>"),
    ],
)
def test_fields_that_are_the_same_on_all_pages_stay_beside_others(holder: str, row: str) -> None:
    def product(number: int) -> str:
        fields = {"Maker": "The Lantern Works of Harbour Lane", "About it": INGREDIENTS[number]}
        rows = "".join(row.format(*field) for field in fields.items())
        return article(number).replace(
            "<div class='house'>", f"<{holder}>{rows}</{holder}><div class='house'>"
        )

    known = pruned(product(0), taught(*[product(number) for number in range(1, 4)]))
    assert ABOUT not in known.html
    assert "The Lantern Works of Harbour Lane" in known.html


def labelled_listing(number: int, beside: str) -> str:
    """A page that names its parts: a table of records, and beside it a part without a name."""
    chance = random.Random(number)
    rows = "".join(
        f"<tr><td><b>Item {row} {sentence(chance, 5)}</b></td><td><i>{sentence(chance)}</i></td>"
        f"<td><u>{row}.50</u></td></tr>"
        for row in range(30)
    )
    return (
        f"<body><main><h1>Lamps {number}</h1><div><div><table>{rows}</table></div></div>"
        f"<div><p>{beside}</p></div><div><em>All prices with tax, and with the post</em></div></main></body>"
    )


@pytest.mark.parametrize(
    "beside",
    [
        '<img src="/lamp-0.jpg">',
        "<i>More about the things that are read here: </i><i>Lamps, lights, bulbs</i>",
    ],
)
def test_by_position_goes_only_what_other_pages_show(beside: str) -> None:
    read_more = "<i>More about the things that are read here: </i>"
    known = pruned(
        labelled_listing(0, beside), taught(*[labelled_listing(number, read_more) for number in range(1, 5)])
    )
    assert {rule for rule, kept in rules(known) if not kept} & {"split", "surroundings"}
    assert "with the post" not in known.html
    assert beside in known.html


def test_by_position_breadcrumbs_and_pagination_are_left_alone() -> None:
    pages = "<div class=pagination><a href=/old>Older lamps</a></div>"
    bodies = [
        labelled_listing(number, "Lamps")
        .replace("<div><p>", f"{pages}<div><p>")
        .replace("</main>", f"{pages}</main>")
        for number in range(5)
    ]
    known = pruned(bodies[0], taught(*bodies[1:]))
    assert "with the post" not in known.html
    assert known.html.count("Older lamps") == 2
    assert not [region for region in known.regions if region.kept and region.rule == "pages"]


def test_a_response_is_judged_by_a_model_and_teaches_it() -> None:
    model = taught(article(1), article(2))
    url = ADDRESS.format(0)
    response = HtmlResponse(url, body=article(0, beside=INGREDIENTS[0]).encode(), encoding="utf-8")
    known = prune_response(response, EAGER, site=model)
    assert known.tps.site_pages == 2
    assert INGREDIENTS[0] in known.text
    assert ABOUT not in known.text
    assert len(model) == 3


@pytest.mark.parametrize("strategy", ["auto", "tps"])
def test_what_pages_teach_does_not_depend_on_their_order(strategy: str) -> None:
    read_more = "<i>More about the things that are read here: </i>"
    pages = [labelled_listing(number, read_more + f"<i>{INGREDIENTS[number]}</i>") for number in range(4)]
    pages += [article(number, beside=INGREDIENTS[number]) for number in range(4, 8)]
    orders = [range(8), range(7, -1, -1), (3, 7, 0, 4, 1, 5, 2, 6)]
    models = [SiteModel() for _ in orders]
    for model, order in zip(models, orders, strict=True):
        for number in order:
            pruned(pages[number], model, number, TPS_STRATEGY=strategy)
    assert models[0] == models[1] == models[2]


def test_records_that_their_name_removes_are_taught_as_removed_whichever_page_comes_first() -> None:
    def listing(number: int) -> str:
        chance = random.Random(100 + number)
        rows = [
            f"<li><h4><a href='/{number}/{row}'>{sentence(chance, 4)}</a></h4><p>{sentence(chance, words)}</p></li>"
            for row, words in enumerate([30] * 10 + [9] * 6)
        ]
        results, related = "".join(rows[:10]), "".join(rows[10:])
        return (
            f"<h1>Results {number}</h1><ol>{results}</ol><div class='related-posts'><ul>{related}</ul></div>"
        )

    models = []
    for order in (range(3), range(2, -1, -1)):
        models.append(SiteModel())
        for number in order:
            pruned(f"<html><body>{listing(number)}</body></html>", models[-1], number)
    assert models[0] == models[1]


def full_model(**settings: object) -> SiteModel:
    """A model that has no room for another page."""
    model = SiteModel(pages=2)
    for number in range(20):
        pruned(article(number, beside=INGREDIENTS[number]), model, number, **settings)
    return model


def judged(body: str, model: SiteModel, number: int) -> Pruning:
    settings = page_settings({**EAGER, "TPS_SITE": "veto"})
    return prune_page(body.encode(), None, settings, url=ADDRESS.format(number), site=model.known())


def test_of_pages_that_would_not_be_remembered_no_lesson_is_made() -> None:
    model = full_model()
    numbers = range(100, 140)
    wanted = [number for number in numbers if model.wants(page_key(ADDRESS.format(number)))]
    assert 0 < len(wanted) < len(numbers)
    lessons = [number for number in numbers if judged(article(number), model, number).lesson is not None]
    assert lessons == wanted
    model.read_only = True
    assert judged(article(wanted[0]), model, wanted[0]).lesson is None


@pytest.mark.parametrize("make", ["article", "listing"])
def test_a_page_is_judged_alike_whether_or_not_it_would_be_remembered(make: str) -> None:
    read_more = "<i>More about the things that are read here: </i>"
    bodies = [
        article(number, beside=INGREDIENTS[number])
        if make == "article"
        else labelled_listing(number, read_more + f"<i>{INGREDIENTS[number]}</i>")
        for number in range(6)
    ]
    model = taught(*bodies[:3], TPS_SITE="veto")
    for number, body in enumerate(bodies, 1000):
        wanted = judged(body, model, number)
        model.read_only = True
        unwanted = judged(body, model, number)
        model.read_only = False
        assert (wanted.lesson is None, unwanted.lesson is None) == (False, True)
        assert list(wanted.spans) == list(unwanted.spans)
        assert wanted.html == unwanted.html


@pytest.mark.parametrize("wanted", [True, False])
@pytest.mark.parametrize(("share", "back"), [(0.49, False), (0.51, True)])
def test_what_is_half_of_all_that_is_new_comes_back(share: float, back: bool, wanted: bool) -> None:
    known = sentence(random.Random(1), 25)  # with it less than seven tenths of what names take are new
    model = taught(*[article(number, beside=known) for number in range(1, 4)], TPS_SITE="veto")
    model.read_only = not wanted
    body = article(1, beside=f"{'n' * round(600 * share)}</p><p>{known}")
    body = body.replace("</h1>", f"</h1><p>{'o' * round(600 * (1 - share))}</p>")
    found = judged(body, model, 1000)
    assert (found.lesson is not None) == wanted
    assert ("nnn" in found.html) == back


@pytest.mark.parametrize("wanted", [True, False])
@pytest.mark.parametrize(("share", "back"), [(0.045, False), (0.055, True)])
def test_what_is_a_twentieth_of_all_that_is_new_comes_back_if_it_is_new_itself(
    share: float, back: bool, wanted: bool
) -> None:
    model = taught(*[article(number) for number in range(1, 4)], TPS_SITE="veto")
    model.read_only = not wanted
    own = "".join(f"<p>{letter * round(400 * (1 - share))}</p>" for letter in "abcdefghij")
    body = article(1, beside="n" * round(4000 * share)).replace("</h1>", f"</h1>{own}")
    found = judged(body, model, 1000)
    assert (found.lesson is not None) == wanted
    assert ("nnn" in found.html) == back
