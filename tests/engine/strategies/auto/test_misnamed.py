"""Content with names of noise: a bakery's cookies, overlays of tiles, footnotes, menus without links."""

from __future__ import annotations

from functools import partial

import pytest

from tests.engine.strategies.made import SENTENCE, kept, menu, record
from tests.support.counting import calls_in

NOTICE = (
    '<div class="cookie-notice"><p>We use cookies to make this site better.</p><button>Accept</button></div>'
)
FOOTER = f"<footer class=site-footer><p>Imprint of the firm</p>{menu(12, 'div')}</footer>"


def page(main: str, beside: str = "", top: str | None = None) -> str:
    top = menu(30, "nav") if top is None else top
    return kept(f"<body>{top}<div class=main-col>{main}</div>{beside}{FOOTER}</body>")


def paragraphs(count: int = 5) -> str:
    return "".join(f"<p>{SENTENCE * 3}Paragraph {number}.</p>" for number in range(count))


def tiles(markup: str, count: int = 12) -> str:
    return "".join(markup.format(n=number) for number in range(count))


@pytest.mark.parametrize(
    ("main", "said"),
    [
        # WooCommerce, Shopify, a WordPress article, a page by hand
        (
            "<ul class=products>"
            + tiles(
                "<li class='product cookies'><h2><a href=/c/{n}>Oat cookie {n}</a></h2><p>It is baked of oats.</p>"
                "<span>{n}.50</span><a class=button href=?add={n}>Add to cart</a></li>"
            )
            + "</ul>",
            "Oat cookie 11",
        ),
        (
            "<div id=shopify-section-cookies class=collection-cookies>"
            + tiles(
                "<div class=grid__item><a href=/c/{n}>Rye cookie {n}</a><p>A crisp cookie</p><i>{n}.75</i>"
                "<form><button>Add</button></form></div>"
            )
            + "</div>",
            "11.75",
        ),
        (
            paragraphs()
            + "<div><div class=cookie-list>"
            + tiles("<div class=cell><h4>Oat cookie {n}</h4><i>{n}.25</i></div>")
            + "</div></div>",
            "11.25",
        ),
        (
            f"{paragraphs()}<div class=consent><h3>Minors</h3><p>{SENTENCE}A minor of sixteen consents.</p></div>",
            "A minor of sixteen",
        ),
        (
            f"{paragraphs()}<div id=gdpr><h2>Fines</h2>"
            f"<table>{tiles('<tr><td>Firm {n}<td>{n}000 crowns')}</table></div>",
            "11000 crowns",
        ),
        # fields of Drupal, sections of documentation
        (
            f"<article><div class=field--body>{paragraphs()}</div><div class=field--field-consent><h2>Who signs</h2>"
            "<p>A guardian signs for a child.</p><a href=/a12.pdf>Form A12</a></div></article>",
            "A guardian signs",
        ),
        (
            f"<article><section><h2>Names</h2>{paragraphs()}</section><section class=gdpr><h2>Compliance</h2>"
            "<p>The directive of 2009 applies.</p><button>Copy</button></section></article>",
            "directive of 2009",
        ),
        # the description of a category
        (
            f"<header><h2>Cookies</h2><div class=cookie-intro><p>{SENTENCE}Baked at four.</p></div></header>"
            + paragraphs(),
            "Baked at four",
        ),
        (
            "<main><nav class=breadcrumb><a href=/>Start</a></nav><div class=cookies-hero><h1>Oat cookies</h1>"
            "<p>Each batch is tasted thrice.</p></div><section>"
            + tiles("<div class=card><h3>Oat {n}</h3><p>{n} grams of oats</p></div>")
            + "</section></main>",
            "tasted thrice",
        ),
        # a counter of a game; a policy with a button
        (
            f"<div><div id=cookies>1,284,551 cookies</div><div>a second: 312</div></div><div>{paragraphs()}</div>",
            "1,284,551",
        ),
        (
            f"{paragraphs()}<section id=cookie-policy-section><table>"
            + tiles("<tr><td>sid{n}<td>390 days<td>Your session</tr>")
            + "</table><button>Withdraw</button></section>",
            "sid11",
        ),
    ],
)
def test_a_word_of_consent_notices_may_be_the_topic(main, said):
    html = page(f"<h1>A page</h1>{main}{NOTICE}")
    assert said in html
    assert "We use cookies" not in html
    assert "Imprint" not in html


def test_a_long_part_with_a_heading_that_repeats_the_title_is_no_notice():
    card = (
        f"<div class=cookie-card><h2>Oat cookies</h2>{SENTENCE * 5}<input type=checkbox> 100 g of oats</div>"
    )
    text = f"<body>{menu(30, 'nav')}<div><h1>Oats</h1>{paragraphs()}{card}{NOTICE}</div>{FOOTER}</body>"
    html = kept(f"<head><title>Oat cookies - The mill</title></head>{text}")
    assert "100 g of oats" in html
    assert "We use cookies" not in html


@pytest.mark.parametrize(
    "notice",
    [
        "<div id=cookie-bar>We use cookies. <a href=/privacy>More</a></div>",
        "<div class=gdpr><p>We use cookies.</p><input type=checkbox><label>All</label></div>",
        f"<div class=cookie-consent><p>We use cookies.</p><p>{SENTENCE * 4}</p><a href='#'>Fine</a></div>",
    ],
)
def test_a_notice_asks_for_something(notice):
    assert "We use cookies" not in page(f"<h1>The mill</h1>{paragraphs()}{notice}")


@pytest.mark.parametrize(
    ("main", "said"),
    [
        (
            tiles(
                "<figure><img><div class=overlay><h3>House {n}</h3><b>{n}50 crowns a day</b></div></figure>"
            ),
            "1150",
        ),
        (
            tiles(
                "<li><img src=/{n}.jpg><div class=overlay><div class=overlay-inner><h3><a href=/{n}>House {n}</a>"
                "</h3><p>{n}50 crowns a week</p></div></div></li>"
            ),
            "1150",
        ),
        (
            tiles("<h3>Person {n}</h3>")
            + tiles(
                "<div class='modal fade'><div class=modal-dialog><div class=modal-header><h4>Person {n}</h4></div>"
                "<div class=modal-body><p>Person {n} builds wheels of oak and has done so for {n} years.</p></div>"
                "</div></div>"
            ),
            "done so for 11 years",
        ),
        (
            "".join(
                record(number).replace(
                    "</form>",
                    f"</form><div class=popover><p>Delivery takes {number + 2} days to the door</p></div>",
                )
                for number in range(12)
            ),
            "takes 13 days",
        ),
        (
            tiles(
                "<div class=cell><div class=overlay><a href=/{n}><img src={n}.jpg><b>House {n}</b></a></div></div>"
            ),
            "House 11",
        ),
        # Squarespace
        (
            paragraphs(2)
            + "<div class=portfolio-grid-overlay>"
            + tiles("<a href=/{n}><img src={n}.jpg><div class=portfolio-text><h3>House {n}</h3></div></a>")
            + "</div>",
            "House 11",
        ),
        (
            f"<div><div class=recipeIntro><p>{SENTENCE}</p></div><div class=recipeDrawer><h2>To buy</h2>"
            f"<p>500 g of flour of rye, a spoon of salt</p></div><div class=recipeMethod>{paragraphs()}</div></div>",
            "500 g of flour",
        ),
        (
            f"<div>{paragraphs(2)}<div class=modal-content-inline><h2>Programme</h2><p>Doors open at half past seven."
            f"</p></div>{paragraphs(2)}</div>",
            "half past seven",
        ),
        (
            f"{paragraphs(2)}<div class=drawers><div class='drawer drawer--specs'><h2>Facts</h2>"
            "<dl><dt>Weight<dd>8.1 kg</dl></div><div class='drawer drawer--delivery'><h2>Delivery</h2><p>In 3 days</p>"
            "</div></div>",
            "8.1 kg",
        ),
        # Dotdash Meredith
        (
            "<ul class=accordion><li class=accordion_drawer><h2>Wheels</h2><p>Of <b>oak</b>, <i>long</i> and well "
            "dried, from the woods behind the mill</p><table><tr><th>Size<td>4 m</table><dl><dt>Age<dd>9</dl></li>"
            + tiles(
                "<li class=accordion_drawer><h2>Part {n}</h2><p>As <a href=/{n}>mill {n}</a> says, there is more to "
                "it than the wheels and the stones.</p></li>",
                4,
            )
            + "</ul>",
            "mill 3</a> says",
        ),
        (f"{paragraphs()}<h2>To buy</h2><ul class=foodDrawer-list><li>500 g of flour</ul>", "500 g of flour"),
    ],
)
def test_similar_overlays_and_sections_are_content(main, said):
    html = page(f"<h1>A page</h1>{main}")
    assert said in html
    assert "Imprint" not in html


@pytest.mark.parametrize("first", [True, False])
def test_a_dialog_with_fields_among_those_of_records_goes(first):
    persons = tiles(
        "<div class=modal><div><h4>Person {n}</h4><p>Came here from a mill.</p><p>Room {n}.7</p></div></div>",
        6,
    )
    letter = "<div class=modal><form><p>Get our letter by post</p><input name=mail></form></div>"
    html = page(f"<h1>The mill</h1>{paragraphs()}{letter * first}{persons}{letter * (not first)}")
    assert "Room 0.7" in html
    assert "Room 5.7" in html
    assert "by post" not in html


@pytest.mark.parametrize(
    "dialogs",
    [
        f"<div class=modal><p>Sign up for our letter. {SENTENCE}</p><form><input><button>Go</button></form></div>",
        tiles("<div class=modal><p>Quick view of the thing</p></div>"),
        tiles(
            "<div class=popup><label>Your name, letter {n}</label><input name=n{n}><input name=m{n}></div>", 4
        ),
        tiles("<div class=flyout>" + menu(6) + "</div>", 4),
        f"<div class=modal role=dialog><h2>Programme</h2><p>{SENTENCE}</p></div>{paragraphs(2)}",
        f"<dialog class=popup><h2>Programme</h2><p>{SENTENCE}</p></dialog>{paragraphs(2)}",
        "<div class=popup>" + tiles("<a href=/s{n}><img src=/s{n}.png>Share {n}</a>") + "</div>",
    ],
)
def test_dialogs_that_ask_or_lead_elsewhere_or_repeat_themselves_go(dialogs):
    html = page(f"<h1>The mill</h1>{paragraphs()}{dialogs}")
    assert "Paragraph 4" in html
    assert "modal" not in html
    assert "popup" not in html
    assert "flyout" not in html


@pytest.mark.parametrize(
    ("main", "said"),
    [
        (
            f"<div class=entry-content>{paragraphs()}<div class='footnotes footer'><p><a href=#r1>1</a> A remark on the"
            " wheel.</p><p><a href=#r2>2</a> A remark about the miller.</p></div></div>",
            "about the miller",
        ),
        (
            f"<div id=content>{paragraphs()}<div class=notes-footer><p>A remark of the club.</p></div></div>",
            "of the club",
        ),
        (
            f"<div class=box><table>{tiles('<tr><td>Barley of the sort {n}<td>{n}.95 crowns')}</table>"
            f"<div class=price-footer>All prices include delivery.</div></div>{paragraphs()}",
            "include delivery",
        ),
        (
            "<table class=lot><tr><td><div class=header>A clock of 1750</div>"
            f"<p>{SENTENCE}</p><tr><td><div class=header>Estimate</div><p>900 crowns</p><tr><td>{SENTENCE}</table>"
            + paragraphs(),
            "A clock of 1750",
        ),
        (
            f"<div class=box><table>{tiles('<tr><td>Post {n}<td>{n}00', 16)}</table>"
            f"<div class=table-footer-note>Sums in thousand crowns.</div></div>{paragraphs()}",
            "thousand crowns",
        ),
        (f"<div class=steps-list-nav><h2>Five steps to a wheel</h2></div>{paragraphs()}", "Five steps"),
        # next to a menu without links
        (
            f"<div><div class=step-nav><h2>Five steps</h2></div>{paragraphs()}"
            "<div class=fees-footer>Fees changed in April.</div></div>",
            "changed in April",
        ),
    ],
)
def test_footers_headers_and_menus_of_the_content_stay(main, said):
    html = page(f"<h1>A page</h1>{main}")
    assert said in html
    assert "Imprint" not in html


def test_notes_that_lead_back_to_the_text_stay_beside_the_menu():
    notes = "".join(f"<p><a href=#r{n}>{n}</a> A remark on wheel {n}.</p>" for n in range(3))
    text = f"<div><h1>A page</h1>{paragraphs()}</div><div class=footnotes-footer>{notes}</div>"
    html = kept(f"<body><div id=page>{menu(30, 'nav')}{text}{FOOTER}</div></body>")
    assert "wheel 2" in html
    assert "Imprint" not in html


@pytest.mark.parametrize("link", ["", "<a href=/l/9>Lot 9</a>"])
def test_a_line_called_footer_right_below_the_first_heading_stays(link):
    line = f"<div class=lot-footer-line>Estimate: 900 crowns {link}</div>"
    lot = f"<div class=lot-header><h1>Lot 45</h1>{line}</div>"
    rows = f"<tr><td><p>{SENTENCE * 2}</p></td></tr><tr><td><p>{SENTENCE}</p></td></tr>"
    html = kept(f"<body>{menu(8)}<div id=maincontent>{lot}<table>{rows}</table></div>{FOOTER}</body>")
    assert "Estimate: 900" in html
    assert "Imprint" not in html


def test_the_footer_of_the_part_of_the_first_heading_stays_if_the_site_has_one():
    lots = "".join(f"<section><h2>Lot {number}</h2><p>{SENTENCE}</p></section>" for number in range(9))
    sale = f"<div><h1>Sale 44</h1><div>{lots}</div><footer>A premium of 22 percent.</footer></div>"
    html = kept(f"<body><div><header>{menu(9, 'nav')}</header>{sale}{FOOTER}</div></body>")
    assert "22 percent" in html
    assert "Imprint" not in html
    assert "22 percent" not in kept(f"<body><div><header>{menu(9, 'nav')}</header>{sale}</div></body>")


@pytest.mark.parametrize("part", ["header", "footer"])
def test_a_part_of_a_text_that_is_nearly_all_of_the_page_stays(part):
    line = f"<div class=box-{part}>Two rooms for four persons, from 74 crowns.</div>"
    for text in (
        f"<main><h1>The mill</h1>{paragraphs(12)}{line}</main>",
        f"<h1>Mill</h1><div>{line}{paragraphs()}</div>",
    ):
        html = kept(f"<body>{menu(8, 'nav')}{text}{FOOTER}</body>")
        assert "from 74 crowns" in html
        assert "Imprint" not in html


def test_the_footer_of_a_site_by_hand_goes():
    html = kept(
        f"<body>{menu()}<h1>The mill</h1>{paragraphs()}<div class=footer><p>No warranty is given</p></div></body>"
    )
    assert "Paragraph 4" in html
    assert "No warranty" not in html


@pytest.mark.parametrize(
    "column",
    [
        f"<aside><h2>The miller</h2><p>{SENTENCE}He was born in the valley.</p></aside>",
        f"<aside class=sidebar><p>{SENTENCE * 3}He was born in the valley.</p></aside>",
        f"<div class=side-bar><p>{SENTENCE}He was born in the valley.</p></div>",
        "<aside class=sidebar><p>He was born in the valley in 1811, and ran the mill.</p></aside>",
    ],
)
def test_sentences_without_links_are_no_sidebar(column):
    assert "born in the valley" in page(f"<h1>The mill</h1>{paragraphs()}", column)


def test_a_short_aside_stays_like_a_longer_one_of_its_tag_path():
    asides = "".join(f"<aside><h6>Note</h6><p>{text}</p></aside>" for text in (SENTENCE, "Never twice."))
    assert "Never twice" in page(f"<h1>The mill</h1><section>{paragraphs()}{asides}</section>")


def test_a_column_with_links_or_fields_goes():
    column = f"<aside><p>{SENTENCE}<a href=/a>Read on about this</a></p><form><input></form></aside>"
    assert "Read on" not in page(f"<h1>The mill</h1>{paragraphs()}", column)


@pytest.mark.parametrize(
    "name", ["side-bar", "sideBar", "left_side_bar", "SideBar widget", "blog-side-bar-inner"]
)
def test_compound_names_may_be_written_apart(name):
    stories = tiles("<li><a href=/p/{n}>A popular story about something, {n}</a></li>", 8)
    html = page(
        "<h1>A page</h1>" + "".join(map(record, range(12))), f"<div class='{name}'><ul>{stories}</ul></div>"
    )
    assert "Record number 11" in html
    assert "popular story" not in html


@pytest.mark.parametrize("name", ["pop-up", "popUp", "news-letter", "sign-up-box", "drop-down"])
def test_small_boxes_with_compound_names_go(name):
    box = f"<div class={name}><p>Get the letter of the mill each week.</p><a href=/x>Go</a></div>"
    assert "each week" not in page("<h1>A page</h1>" + "".join(map(record, range(12))), box)


@pytest.mark.parametrize(
    ("holder", "part"),
    [
        ("div", "<x-{n} class=box-dialog><p>The box of a mill, {n}</p></x-{n}>"),
        ("div", "<p>A paragraph of the mill</p><div class=footer>Footer {n}</div>"),
        ("ul", "<li><div><b>The mill {n}</b><div class=footer>Footer {n}</div></div></li>"),
    ],
)
def test_many_parts_with_such_names_take_calls_in_proportion(holder, part):
    beside = f"<p>{SENTENCE}</p>"
    pages = [
        f"<body><{holder}>{tiles(part, many)}</{holder}><div>{tiles(beside, many)}</div></body>"
        for many in (100, 100, 400)
    ]
    _, few, many = [
        calls_in(partial(kept, one), "misnamed.py") for one in pages
    ]  # the first one fills caches
    assert many < 6 * few


@pytest.mark.parametrize("block", ["price-{0}", "PlanTable_{0}__x1"])
def test_the_footer_of_a_block_is_a_part_of_it(block):
    rows = "".join(
        f"<div class={block.format('row')}><span>Size {n}</span><span>{n}0 kr</span></div>" for n in range(3)
    )
    footer = f"<div class={block.format('footer')}>Sent in three days</div>"
    assert "Sent in three days" in page(f"<h1>Lamp</h1>{paragraphs(3)}<div>{rows}{footer}</div>")
    assert "Sent in three days" not in page(f"<h1>Lamp</h1>{paragraphs(3)}<div>{footer}</div>")
