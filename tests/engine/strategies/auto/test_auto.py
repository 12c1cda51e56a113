from __future__ import annotations

import pytest

from scrapy_tps import prune
from tests.engine.strategies.made import SENTENCE, article, listing, menu, record

STRATEGIES = ("auto", "tps", "aggressive")


def kept(html: str, strategy: str = "auto", **more: object) -> str:
    return prune(
        html, settings={"TPS_STRATEGY": strategy, "TPS_KEEP_INVISIBLE": ["head", "data"], **more}
    ).html


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("semantic", [True, False])
def test_every_record_stays_with_all_it_holds(strategy: str, semantic: bool) -> None:
    html = kept(listing(semantic=semantic), strategy)
    for number in range(12):
        assert record(number) in html.replace("&quot;", '"')


def test_navigation_and_footer_of_a_listing_go() -> None:
    html = kept(listing())
    assert "Menu 7" not in html
    assert "nobody in particular" not in html


def test_tag_paths_alone_clear_a_menu_without_semantics() -> None:
    assert "Menu 7" not in kept(listing(semantic=False), "tps")


def test_headings_breadcrumbs_and_pagination_stay() -> None:
    html = listing().replace(
        "<footer>",
        '<nav class="breadcrumb"><a href=/>Start</a></nav><nav class=pagination><a rel=next href=/2>2</a>'
        "</nav><footer>",
    )
    pruned = kept(html)
    for expected in ("All the records", ">Start<", 'rel="next"'):
        assert expected in pruned


def test_a_record_of_other_markup_among_its_siblings_is_not_cut() -> None:
    other = '<div class="item recommended"><p>Sponsored and of another make, but a record as well.</p></div>'
    html = listing().replace(record(5), other)
    assert "of another make" in kept(html)


def test_boilerplate_words_inside_of_records_lose_nothing() -> None:
    html = listing().replace('class="price"', 'class="footer social-share"')
    assert "7.95 crowns" in kept(html)


def test_a_menu_richer_than_the_records_does_not_win() -> None:
    html = kept(listing(4).replace("<h1>", menu(400, "nav") + "<h1>"))
    assert "record 3 alone" in html


def test_an_article_keeps_byline_text_and_tags() -> None:
    html = kept(article())
    for expected in ("The mill", "Ada Miller", "Mills", "Rivers"):
        assert expected in html
    assert html.count("grey stone") == 24
    assert "Menu 3" not in html


def test_the_options_of_a_product_stay_with_it() -> None:
    product = (
        "<html><body>" + menu(30, "nav") + f"<div class=product><h1>A kettle</h1><p>{SENTENCE * 4}</p>"
        "<form><label><input type=radio name=c>Copper</label><button>Put in basket</button></form></div>"
        "<footer>Imprint</footer></body></html>"
    )
    assert "Copper" in kept(product)


def test_hidden_content_that_a_script_will_show_stays() -> None:
    streamed = "".join(
        f'<div hidden id="S:{number}"><p>{number} {SENTENCE * 4}</p></div>' for number in range(4)
    )
    html = kept(f"<html><body>{menu(30, 'nav')}<main><h1>Mills</h1></main>{streamed}</body></html>")
    assert html.count("grey stone") == 16


@pytest.mark.parametrize(
    ("direction", "text"), [("rtl", "خبز وملح وزيت الزيتون"), ("ltr", "木のテーブルと椅子を作る")]
)
def test_other_scripts_lose_no_record(direction: str, text: str) -> None:
    html = listing().replace("It is described", text).replace("<body>", f"<body dir={direction}>")
    assert kept(html).count(text) == 12


def test_a_page_in_which_nothing_is_noise_stays_whole() -> None:
    text = "".join(f"<p>{SENTENCE}</p>" for _ in range(30))
    result = prune(f"<html><body>{text}</body></html>")
    assert result.outcome == "no_region"
    assert result.kept_nodes == result.raw_nodes


def test_every_removal_says_why() -> None:
    result = prune(listing())
    reasons = {removed.reason for removed in result.removed()}
    assert any("navigation" in reason for reason in reasons)
    assert all(len(reason) > 10 for reason in reasons)
    assert any(region.kept and "records" in region.reason for region in result.regions)


def cookies(attributes: str, tag: str = "div") -> str:
    return f"<{tag} {attributes}><p>{'These pages keep small files on your machine and say so. ' * 6}</p></{tag}>"


@pytest.mark.parametrize(
    "notice",
    [
        cookies('id="gdpr_settings_modal"', "dialog"),
        cookies('class="cky-settings popup"'),
        cookies('class="iubenda-cs-banner"'),
        cookies('id="cookie-details" class="hidden"'),
        f'<div class="settings-popup">{cookies("class=panel")}{cookies("class=cookies-of-others")}</div>',
    ],
)
def test_notices_of_consent_go_however_much_they_say(notice: str) -> None:
    html = kept(article(2).replace("<footer>", notice + "<footer>"))
    assert "small files" not in html
    assert html.count("grey stone") == 6


def test_parts_that_a_class_hides_go() -> None:
    page = listing().replace(
        "<div class=grid>", "<div class=hidden><p>A second opinion</p></div><div class=grid>"
    )
    assert "second opinion" not in kept(page)


def test_what_is_hidden_on_narrow_screens_only_stays() -> None:
    html = article().replace("<p>", '<div class="hidden lg:block"><p>On wide screens</p></div><p>', 1)
    assert "On wide screens" in kept(html)


def test_the_folded_rest_of_a_list_stays() -> None:
    entries = "".join(
        f'<div class="entry row {"hidden" if number > 2 else ""}"><b>Kind {number}</b> of mill</div>'
        for number in range(9)
    )
    html = kept(article().replace("</article>", f"<div>{entries}</div></article>"))
    assert [f"Kind {number}<" in html for number in range(9)] == [True] * 9


@pytest.mark.parametrize("strategy", ["auto", "aggressive"])
def test_the_claim_below_the_heading_stays_beside_records_that_dominate(strategy: str) -> None:
    claim = (
        "<header><h1>All the records</h1><p>Twelve of them, made by hand.</p><a href=/all>See</a></header>"
    )
    html = kept(listing().replace("<h1>All the records</h1>", claim), strategy)
    assert "made by hand" in html


@pytest.mark.parametrize(
    ("fields", "stays"), [("<b>Miller {0}</b><i>Town {0}</i><u>{0} May</u>", True), ("Town {0}", False)]
)
def test_lists_of_links_with_several_texts_each_stay(fields: str, stays: bool) -> None:
    cards = "".join(f"<li><a href=/j/{number}>{fields.format(number)}</a></li>" for number in range(8))
    page = f"<body><div><h1>Mills</h1><p>{12 * SENTENCE}</p></div><div><ol>{cards}</ol></div></body>"
    assert ("Town 7" in kept(page)) is stays
    assert "Town 7" in kept(article().replace("<ul class", f"<ol>{cards}</ol><ul class"))
