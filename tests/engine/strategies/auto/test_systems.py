"""Content that well-known systems put into forms, panels, choices and footers, where spiders read it.

Each page is of one system: WordPress, WooCommerce, Koha, VuFind, Drupal, Django's admin, Bootstrap, jQuery UI and so
on. What stands around is a site with a menu, a column and a footer.
"""

from __future__ import annotations

import re

import pytest

from scrapy_tps import prune
from tests.engine.strategies.made import SENTENCE, menu, record

RECORDS = "".join(map(record, range(12)))
PROSE = "".join(f"<p>{SENTENCE * 3}{number}</p>" for number in range(8))


def kept(
    part: str, *, aside: str = "", footer: str = "", title: str = "All about the mill", apart: str = ""
) -> str:
    """The pruned page of a site that has this part below its heading; or below a part with this and the heading."""
    heading = f"<h1>{title}</h1>"
    html = (
        f"<html><head><title>{title}</title></head><body><header class=site-header>{menu(20, 'nav')}</header>"
        f"<div id=content>{f'<div class=intro>{heading}{apart}</div>' if apart else heading}{part}</div>"
        f"<div class=sidebar><h3>Elsewhere</h3>{menu(12)}{aside}</div>"
        f"<footer class=site-footer>{footer}<p>Imprint of the mill</p></footer></body></html>"
    )
    pruning = prune(html, settings={"TPS_MIN_NODES": 0})
    assert "Menu 3" not in pruning.html, "the menu stays: the page shows nothing"
    return pruning.html


def options(*texts: object, value: str = "{}") -> str:
    return "".join(f'<option value="{value.format(text)}">{text}</option>' for text in texts)


MONTHS = ("May 2024", "April 2024", "March 2024", "February 2024", "January 2024")


@pytest.mark.parametrize(
    "choice",
    [
        # WordPress, the dropdown of the archives; editions of a tournament; a jump menu of Dreamweaver
        f"<select name=archive-dropdown>{options(*MONTHS, value='https://mill.example/{}/')}</select>",
        f"<select id=edition>{options(*range(2024, 1984, -1), value='/cup/{}/results')}</select>",
        f"<select onchange=\"MM_jumpMenu('parent',this,0)\">{options(*MONTHS, value='minutes.php?m={}')}</select>",
        # few options: nations, dates, colours of a product
        f"<select name=nation>{options('Norway', 'Sweden', 'Chile', 'Japan')}</select>",
        f"<label>Date</label><select name=date>{options(*MONTHS)}</select>",
        f"<table class=variations><tr><td><select id=pa_color>{options('red', 'blue')}</select></td></tr></table>",
        # pages given as options: Primo, ASP.NET grids
        f"<select name=page>{options(*range(1, 61))}</select>",
        f"<select id=ctl00_PageNumber class=pager>{options(*range(1, 120))}</select>",
    ],
    ids=["archive", "editions", "jump menu", "nations", "dates", "colours", "pages", "grid"],
)
@pytest.mark.parametrize("around", [RECORDS, PROSE], ids=["records", "article"])
def test_options_that_are_addresses_few_or_pages_stay(choice: str, around: str) -> None:
    html = kept(f"<div class=bar>{choice}</div>{around}")
    assert html.count("<option") == choice.count("<option")


def test_long_lists_of_a_search_and_of_a_checkout_go() -> None:
    countries = options(*(f"Country of number {number}" for number in range(200)))
    html = kept(
        f"<form method=get action=/search><select name=c>{countries}</select><button>Search</button></form>{RECORDS}"
    )
    assert "Country of number 7<" not in html


LOANS = (
    # Koha
    "<form id=renewselected action=/cgi-bin/koha/opac-renew.pl method=post><table id=checkoutst><thead><tr>"
    "<th>Title</th><th>Due</th><th>Barcode</th><th>Renew</th></tr></thead><tbody>{}</tbody></table>"
    "<input type=submit value='Renew selected'></form>",
    # VuFind
    "<form name=renewals method=post action=/MyResearch/CheckedOut><ul class=record-list>{}</ul></form>",
    # Aleph
    "<form method=POST name=form1><table cellspacing=2><tr><th>No.</th><th>Author</th><th>Title</th>"
    "<th>Due</th></tr>{}</table></form>",
    # Django's admin
    "<form id=changelist-form method=post><div class=results><table id=result_list><thead><tr><th scope=col>Name</th>"
    "<th scope=col>Due</th><th scope=col>State</th></tr></thead><tbody>{}</tbody></table></div></form>",
    # Drupal, Views with bulk operations
    "<div class=view-content><form class=views-form method=post><table class='views-table cols-4'><thead><tr>"
    "<th class=views-field>Title</th><th>Updated</th><th>Author</th></tr></thead><tbody>{}</tbody></table></form>"
    "</div>",
)


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("form", LOANS, ids=["Koha", "VuFind", "Aleph", "Django", "Drupal"])
def test_a_form_around_records_is_none(form: str, count: int) -> None:
    row = (
        "<tr class=odd><td><input type=checkbox name=item value={0}>The book of mills, volume {0}</td>"
        "<td>2024-06-0{0}</td><td>39001{0}</td><td>2 of 3 renewals left</td></tr>"
    )
    if "<ul" in form:
        if count < 2:
            pytest.skip("one of a list is no list")
        row = (
            "<li class=result><input type=checkbox name=ids value={0}><a href=/Record/{0} class=title>The book of"
            " mills, volume {0}</a><br><span>By A. Miller</span><br><strong>Due 2024-06-0{0}</strong></li>"
        )
    rows = "".join(row.format(number) for number in range(1, count + 1))
    html = kept(f"<div class=tab>{form.format(rows)}</div>", title="My loans", apart=PROSE)
    assert html.count("The book of mills") == html.count("2024-06-0") == count


@pytest.mark.parametrize(
    "form",
    [
        # a search, a login, a message, a poll; Django writes fields as a table, WordPress its settings
        "<form><table>"
        + "".join(f"<tr><th><label>Field {n}</label></th><td><input name=f{n}> *</td></tr>" for n in range(9))
        + "</table></form>",
        "<form><p>Log in <label>Field 3</label><input name=u><input type=password name=p></p></form>",
        "<form method=post><fieldset>"
        + "".join(f"<div><label>Field {n}<em>*</em></label><input name=f{n}></div>" for n in range(5))
        + "</fieldset></form>",
        "<form class=poll><ul>"
        + "".join(
            f"<li>Field {n}<label><input type=radio>yes</label><label><input type=radio>no</label></li>"
            for n in range(5)
        )
        + "</ul></form>",
    ],
    ids=["table", "login", "message", "poll"],
)
def test_forms_to_fill_in_go(form: str) -> None:
    assert "Field 3" not in kept(f"{RECORDS}{form}")
    assert "Field 3" not in kept(f"<div class=tab>{form}</div>", apart=PROSE)


def panel(number: int, system: str, body: str) -> str:
    return {
        "jQuery UI": f"<div id=tabs-{number} class='ui-tabs-panel ui-widget-content'>{body}</div>",
        "Bootstrap 3": f"<div class='panel panel-default'><div class=panel-heading><h4>Part {number}</h4></div>"
        f"<div class=panel-body>{body}</div></div>",
        "Bootstrap 5": f"<div class=accordion-item><h2 class=accordion-header><button>Part {number}</button></h2>"
        f"<div class='accordion-collapse collapse'><div class=accordion-body>{body}</div></div></div>",
        "section": f"<section class=panel><h3>Part {number}</h3>{body}</section>",
        "WooCommerce": f"<div class='woocommerce-Tabs-panel panel entry-content wc-tab' id=tab-{number}>{body}</div>",
    }[system]


LINKS = "".join(f"<li><a href=/l/{number}>Lemma {number}</a></li>" for number in range(24))
SYSTEMS = ("jQuery UI", "Bootstrap 3", "Bootstrap 5", "section", "WooCommerce")


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_panel_of_links_among_panels_of_text_stays(system: str) -> None:
    texts = [f"<p>{SENTENCE}Part {number}.</p><p>{SENTENCE}</p>" for number in range(3)]
    bodies = [texts[0], texts[1], f"<ul class=links>{LINKS}</ul>", texts[2]]
    html = kept(
        f"<div class=parts>{''.join(panel(number, system, body) for number, body in enumerate(bodies))}</div>"
    )
    assert html.count("Lemma") == 24


@pytest.mark.parametrize("name", ["related", "sidebar", "social", "login", "newsletter"])
def test_a_panel_named_like_boilerplate_among_panels_of_its_make_stays(name: str) -> None:
    """The answers of a FAQ and the tabs of a product have names of what they are about."""
    panels = [
        f"<div class=accordion-item id={part}><h4>About {part}</h4><p>{part}: {SENTENCE}</p></div>"
        for part in ("mills", "rivers", name)
    ]
    assert f"{name}: The mill" in kept(f"<div class=accordion>{''.join(panels)}</div>", apart=PROSE)


PAGERS = {
    # WP-PageNavi
    "wp-pagenavi": "<div class=wp-pagenavi role=navigation><span class=pages>Page 1 of 30</span>"
    "<span aria-current=page class=current>1</span><a class='page larger' title='Page 2' href=/p/2>2</a>"
    "<a class='page larger' href=/p/3>3</a><span class=extend>...</span><a class='larger page' href=/p/10>10</a>"
    "<a class='larger page' href=/p/20>20</a><a class=nextpostslink href=/p/2>»</a>"
    "<a class=last href=/p/30>Last »</a></div>",
    # WordPress
    "page-numbers": "<nav class='navigation pagination'><h2 class=screen-reader-text>Posts</h2><div class=nav-links>"
    "<span class='page-numbers current'><span class=meta-nav>Page</span> 1</span>"
    "<a class=page-numbers href=/p/2><span class='meta-nav screen-reader-text'>Page </span>2</a>"
    "<span class='page-numbers dots'>…</span><a class=page-numbers href=/p/9>9</a>"
    "<a class='next page-numbers' href=/p/2><span class=screen-reader-text>Next</span></a></div></nav>",
    # WooCommerce
    "woocommerce": "<nav class=woocommerce-pagination><ul class=page-numbers><li><span class='page-numbers current'>1"
    "</span></li><li><a class=page-numbers href=/p/2>2</a></li><li><a class=page-numbers href=/p/3>3</a></li>"
    "<li><a class='next page-numbers' href=/p/2>→</a></li></ul></nav>",
    # Bootstrap
    "bootstrap": "<nav aria-label=Pages><ul class=pagination><li class='page-item disabled'><a class=page-link href=#>"
    "<span aria-hidden=true>«</span></a></li><li class='page-item active'><a class=page-link href=/p/1>1</a></li>"
    "<li class='page-item d-none d-md-block'><a class=page-link href=/p/2>2</a></li><li class='page-item hidden'>"
    "<a class=page-link href=/p/3>3</a></li><li class=page-item><a class=page-link href=/p/4 aria-label=Next>"
    "<span aria-hidden=true>»</span><span class=sr-only>Next</span></a></li></ul></nav>",
    # Drupal
    "drupal": "<nav class=pager role=navigation aria-labelledby=ph><h4 id=ph class=visually-hidden>Pagination</h4>"
    "<ul class='pager__items js-pager__items'><li class='pager__item is-active'><a href=?page=0>"
    "<span class=visually-hidden>Current page</span>1</a></li><li class=pager__item><a href=?page=1>"
    "<span class=visually-hidden>Page</span>2</a></li><li class='pager__item pager__item--next'><a href=?page=1"
    " rel=next><span class=visually-hidden>Next page</span><span aria-hidden=true>››</span></a></li></ul></nav>",
    # a theme's own, numbers beside buttons that scripts read
    "theme": "<div class=navigation><div class='alignleft'><a href=/p/2>« Older Entries</a></div><div class=numbers>"
    "<b>1</b> <a href=/p/2 class=inactive>2</a> <a href=/p/3 class=inactive>3</a> <a href=/p/12 class=menu>12</a>"
    "</div></div>",
}


# far from the first page
PAGERS |= {
    "far wp-pagenavi": "<div class=navigation><div class=wp-pagenavi><span class=pages>Page 15 of 30</span>"
    "<a class=first href=/p/1>« First</a><a class=previouspostslink href=/p/14>«</a><a class='smaller page' href=/p/10>"
    "10</a><a class='page smaller' href=/p/14>14</a><span class=current>15</span>"
    "<a class='page larger' href=/p/16>16</a><a class='larger page' href=/p/20>20</a>"
    "<a class=nextpostslink href=/p/16>»</a><a class=last href=/p/30>Last »</a>"
    "</div></div>",
    "far page-numbers": "<div class=nav-links><a class='prev page-numbers' href=/p/4>Previous</a><a class=page-numbers "
    "href=/p/1>1</a><span class='page-numbers dots'>…</span><a class=page-numbers href=/p/4>4</a>"
    "<span class='page-numbers current'>5</span><a class=page-numbers href=/p/6>6</a><span class='page-numbers dots'>…"
    "</span><a class=page-numbers href=/p/30>30</a><a class='next page-numbers' href=/p/6>Next</a></div>",
    "far list": "<div class=topbar><ul>"
    "<li><a href=/p/1>1</a></li><li>…</li><li><a href=/p/7>7</a></li><li><b>8</b></li>"
    "<li><a href=/p/9>9</a></li><li>…</li><li><a href=/p/41>41</a></li><li><a href=/p/9>Next page</a></li></ul></div>",
    "last": "<div class=toolbar><a href=/p/1>1</a> … <a href=/p/40>40</a> <b>41</b></div>",
}


@pytest.mark.parametrize("system", PAGERS)
@pytest.mark.parametrize("around", [RECORDS, PROSE], ids=["records", "article"])
def test_all_links_of_a_pager_stay(system: str, around: str) -> None:
    pager = PAGERS[system]
    html = kept(f"<div class=all>{around}</div>{pager}")
    addresses = re.findall(r"href=(/p/\d+|\?page=\d+)", pager)
    assert html.count('href="/p/') + html.count('href="?page') == len(addresses)
    assert all(f">{number}<" in html for number in re.findall(r">(\d+)</a>", pager))


def test_numbers_that_lead_to_no_other_page_of_a_list_go() -> None:
    sizes = "".join(f"<a href=/list?per={number}>{number}</a> " for number in (12, 48, 96))
    assert "per=48" not in kept(f"{RECORDS}<div class=toolbar>Show {sizes}<b>24</b></div>")


@pytest.mark.parametrize(
    "name",
    ["minutes.pdf", "opinion.PDF?id=3", "Order_12.doc", "table.docx", "data.csv", "budget.xlsx#page=2"],
)
@pytest.mark.parametrize(
    "box",
    [
        "<div class=sidebar><h4>Files</h4>{}</div>",
        "<aside><p>Files</p>{}</aside>",
        "<div class=related-documents>{}</div>",
        "<div class=downloads><div class=header-box>{}</div></div>",
        "<form action=/x><p>{}</p><button>Go</button></form>",
        "<div class=social-share>{}</div>",
    ],
)
def test_links_to_documents_do_not_go_on_a_soft_mark(name: str, box: str) -> None:
    html = kept(f"{PROSE}{box.format(f'<a href=/files/{name}>Read it</a>')}<div>{SENTENCE}</div>")
    assert f'href="/files/{name}"' in html
    assert "Read it" in html


@pytest.mark.parametrize(
    "frame",
    [
        "<iframe src=/files/opinion.pdf></iframe>",
        "<iframe src='https://docs.example/viewer?url=https://court.example/opinion.pdf&embedded=true'></iframe>",
        "<object data=opinion.pdf type=application/pdf>Your browser shows no opinions</object>",
        "<embed src=opinion.pdf>",
    ],
)
def test_frames_of_documents_stay(frame: str) -> None:
    assert "opinion.pdf" in kept(f"{PROSE}<div>{frame}</div>")


def test_frames_of_other_pages_and_links_to_documents_in_menus_go() -> None:
    html = kept(
        f"{PROSE}<iframe src=/ads/top.html></iframe>",
        footer="<nav><a href=/privacy.pdf>Privacy</a></nav>",
    )
    assert "top.html" not in html
    assert "privacy.pdf" not in html


COUNTS = {
    "VuFind": "<div class='search-header hidden-print'><div class=search-stats>Showing <strong>1</strong> - <strong>20"
    "</strong> results of <strong>345</strong></div><div class=search-controls><form action=/sort>{}</form></div>"
    "</div>",
    "Koha": "<div id=numresults class=toolbar><strong>Your search returned 345 results.</strong>{}</div>",
    "DSpace": "<div class='pagination-masked clearfix top'><p class=pagination-info>Now showing items 1-10 of 345</p>"
    "{}</div>",
    "Blacklight": "<div id=sortAndPerPage class='sort-pagination filters'><span class=page-entries><strong>1</strong>"
    " - <strong>10</strong> of <strong>345</strong></span>{}</div>",
    "filters": "<div class=filters><p>345 results</p>{}</div>",
    "button": "<div class=btn-toolbar><span>345 results</span>{}</div>",
}
SORTING = "<label>Sort by</label><select><option>Name</option><option>Price</option></select>"


@pytest.mark.parametrize("system", COUNTS)
@pytest.mark.parametrize("headed", [True, False], ids=["heading above", "heading below"])
def test_the_line_with_the_number_of_results_stays(system: str, headed: bool) -> None:
    if not headed and system in ("Koha", "button"):
        pytest.skip("at the page's edge, above its heading, a number and a word may be the site's")
    line, heading = COUNTS[system].format(SORTING), "<h1>All the records</h1>"
    top = f"{heading}{line}" if headed else f"{line}{heading}"
    html = prune(
        f"<html><body><header class=site>{menu(40, 'nav')}</header><div id=content>{top}<div class=grid>{RECORDS}</div>"
        "</div><footer>Imprint</footer></body></html>",
        settings={"TPS_MIN_NODES": 0},
    ).html
    assert "345" in html
    assert "Menu 3" not in html


ROWS = "".join(
    f"<tr><td><a href=/d/{{0}}/{number}>Meeting {number} of {{0}}</a></td><td>{number} May</td><td>Town hall</td></tr>"
    for number in range(6)
)


@pytest.mark.parametrize(
    "parts",
    [
        "<div id=upcoming><table>{0}</table></div><div id=past style='display:none'><table>{1}</table></div>",
        "<div class=pane><table>{0}</table></div><div class=pane hidden><table>{1}</table></div>",
        "<div role=tabpanel id=t1><table>{0}</table></div><div role=tabpanel id=t2 aria-hidden=true hidden>"
        "<table>{1}</table></div>",
        "<div class='show pane'><table>{0}</table></div><div class=pane aria-hidden=true><table>{1}</table></div>",
    ],
)
def test_tabs_that_are_not_open_stay_if_they_hold_records(parts: str) -> None:
    html = kept(f"<div class=lists>{parts.format(ROWS.format('this year'), ROWS.format('last year'))}</div>")
    assert html.count("of this year") == 6
    assert html.count("of last year") == 6


def test_targets_of_itemref_stay() -> None:
    html = kept(
        f"<div itemscope itemtype=https://schema.org/Store itemref='where phone'><b itemprop=name>Mill</b>{PROSE}"
        "</div>",
        footer="<p id=where itemprop=address>1 River Road</p><p><span id=phone itemprop=telephone>555-0100</span></p>",
    )
    assert "1 River Road" in html
    assert "555-0100" in html
    assert "Imprint" not in html


def test_labels_of_rdfa_stay() -> None:
    html = kept(
        f"<div vocab=https://schema.org/ typeof=Article>{PROSE}"
        "<footer class=meta><p>Filed under <i property=articleSection>Mills</i></p>"
        "<p>Written by <span property=author>Ada Miller</span> on <b property=datePublished content=2024-05-01>1 May"
        "</b></p></footer></div>"
    )
    assert "Ada Miller" in html
    assert "1 May" in html


@pytest.mark.parametrize(
    "footer",
    [
        "<footer class=entry-footer>Posted by <a href=/author/ada rel=author>Ada Miller</a> in <a href=/c/1>Mills</a>"
        "</footer>",
        "<footer><p>By <a href=https://mill.example/author/ada/>Ada Miller</a></p></footer>",
        "<div class=article-footer><img src=a.jpg><h4 class=author-name>Ada Miller</h4><p class=bio>"
        f"{SENTENCE}</p></div>",
    ],
    ids=["rel", "address", "portrait"],
)
@pytest.mark.parametrize("long", [True, False])
def test_an_author_in_a_footer_stays(footer: str, long: bool) -> None:
    text = PROSE + "".join(
        f"<p><i>{n}</i> <b>{SENTENCE}</b> {SENTENCE}</p>" for n in range(100 if long else 2)
    )
    html = kept(f"<div class=post>{text}{footer}</div>", footer="<p>Made by Web Works</p>")
    assert "Ada Miller" in html
    assert "Web Works" not in html
