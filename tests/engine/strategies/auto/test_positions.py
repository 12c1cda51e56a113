"""Rules that go by position: everywhere in ``aggressive``, in ``auto`` where markup calls nothing by a name."""

from __future__ import annotations

import pytest

from tests.engine.strategies.made import SENTENCE, kept

RECORDS = "".join(
    f"<tr><td>{n}.</td><td><a href='/{n}'>Mill number {n}</a> <i>{n} crowns</i>"
    f"<p>What mill {n} says of itself when somebody asks.</p></td></tr>"
    for n in range(20)
)
BESIDE = "<div><font>Weather today</font> <a href=/rain>rain</a> <a href=/wind>wind</a></div>"


def page(label: str) -> str:
    html = f"<body><div><h1>Mills</h1></div><div><table>{RECORDS}</table></div>{BESIDE}</body>"
    for tag in ("td", "p", "i", "div", "table", "tr", "font"):
        html = html.replace(f"<{tag}>", f"<{tag}{label}>")
    return f"<html>{html}</html>"


def test_what_stands_beside_records_goes_where_nothing_is_labelled() -> None:
    assert "Weather today" not in kept(page(""))


def test_it_stays_where_markup_names_a_part() -> None:
    html = page(" class=cell").replace("<body>", "<body><div class=breadcrumb><a href=/>Home</a></div>")
    assert "Weather today" in kept(html)
    assert "Weather today" not in kept(html, "aggressive")


def test_lines_without_links_between_a_heading_and_its_comments_stay() -> None:
    comments = "".join(
        f"<li><cite>Reader {n}</cite> says:<br><small>June {n}</small><p>It was made with {n} eggs. {SENTENCE}</p></li>"
        for n in range(18)
    )
    lines = (
        "<p>Serves: 8 persons</p><p>Oven: 180 degrees</p><ol><li>Beat the butter.</li><li>Add eggs.</li></ol>"
    )
    cake = f"<h1>Plum cake</h1>{lines}<h3>18 Responses</h3><ol>{comments}</ol>"
    html = kept(f"<html><body><table><tr><td>{BESIDE}</td><td>{cake}</td></tr></table></body></html>")
    assert all(words in html for words in ("8 persons", "180 degrees", "Beat the butter", "17 eggs"))
    assert "Weather today" not in html


@pytest.mark.parametrize("linked", [False, True])
def test_a_link_between_a_heading_and_records_stays_if_these_have_none(linked: bool) -> None:
    remarks = "".join(
        f"<tr><td><b>{f'<a href=/u/{n}>User {n}</a>' if linked else f'User {n}'}</b><br>{n} March</td>"
        f"<td>Remark {n}: {SENTENCE}</td></tr>"
        for n in range(12)
    )
    program = "<h1>Zip tool</h1><p>It packs files.</p><p><a href=/zip.exe>Download now</a></p>"
    html = kept(
        f"<html><body><table><tr><td>{BESIDE}</td><td>{program}<table>{remarks}</table></td></tr></table></body></html>"
    )
    assert ("Download now" in html) is not linked
    assert "Weather today" not in html


@pytest.mark.parametrize("strategy", ["auto", "aggressive"])
def test_a_second_list_of_records_stays(strategy: str) -> None:
    mills = "".join(
        f"<div class=card><h3><a href=/m/{n}>Mill {n}</a></h3><p>{SENTENCE}</p></div>" for n in range(8)
    )
    offers = "".join(
        f"<li class=offer><b><a href=/o/{n}>Offer {n}</a></b> <i>{n} crowns</i> <u>Town {n}</u></li>"
        for n in range(12)
    )
    lists = f"<div class=l>{mills}</div><div class=o><ul>{offers}</ul></div>"
    html = kept(f"<html><body><div class=p><h1>Mills</h1></div>{lists}</body></html>", strategy)
    assert [f"Offer {n}<" in html for n in range(12)] == [True] * 12


def test_a_number_in_bold_before_a_record_is_no_smaller_side() -> None:
    rulings = "".join(
        f"<br>SITTING<br><b><a href=/{n}>89-R-{n}</a></b><br><br><ul><b>In re mill {n}</b>; {SENTENCE}</ul><br><hr>"
        for n in range(12)
    )
    title = "<center><strong>Court of mills<p>Rulings of the court<br></strong></center>"
    assert kept(f"<html><body>{title}<p>{rulings}</body></html>").count("89-R-") == 12


@pytest.mark.parametrize("again", [1, 2])
def test_no_main_element_is_outside_of_another(again: int) -> None:
    first = f"<main><h1>Mills</h1><p>{SENTENCE * 20}</p></main>"
    html = kept(f"<html><body>{first}{'<main><p>More of the mills</p></main>' * again}</body></html>")
    assert html.count("More of the mills") == again


def test_lists_of_links_stay_on_a_labelled_page() -> None:
    def links(number: int) -> str:
        return "".join(f"<li><a href=/l/{n}>Place {n}</a></li>" for n in range(number))

    text = f"<div class=text><h1 class=title>Mills</h1><p class=a>{SENTENCE * 20}</p></div>"
    page = f"<html><body><section class=page>{text}<section><ul>{{}}</ul></section></section></body></html>"
    assert "Place 9" in kept(page.format(links(10)))
    assert "Place 9" in kept(page.format(links(30)))


def test_a_headline_loses_no_part_to_a_split() -> None:
    mills = "".join(f"<li><a href={n}.htm><b>Mill {n}</b></a><br>{SENTENCE}" for n in range(14))
    headline = "<center><h2>Mills of the county</h2></center>"
    html = f"<p><a href=/>Start</a> <a href=/a>About</a></p>{headline}<ul type=square>{mills}</ul>"
    title = "<head><title>Mills of the county</title></head>"
    assert headline in kept(f"<html>{title}<body>{html}</body></html>")


def test_aggressive_keeps_how_many_there_are_and_what_introduces_them() -> None:
    cards = "".join(
        f"<li class=job><h3><a href=/{n}>Miller {n}</a></h3><span>Town {n}</span><p>{SENTENCE}</p></li>"
        for n in range(10)
    )
    above = "<h1>Jobs</h1><div class=count>1,311 jobs</div><p class=sort>by <a href=?date>date</a></p>"
    html = kept(f"<html><body><main>{above}<ul>{cards}</ul></main></body></html>", "aggressive")
    assert "1,311 jobs" in html
    assert "?date" not in html


@pytest.mark.parametrize("heading", ["", "<h3>User comments</h3>"])
def test_facts_above_comments_stay_without_a_main_heading(heading: str) -> None:
    facts = "<p><b>Version:</b> 3.2.1<br><b>Size:</b> 1.8 MB</p><p><a href=/get.zip>Get tide321.zip</a></p>"
    text = "The old mill was rebuilt after the fire, and its wheel turns again on Sundays in the summer. "
    rows = "".join(f"<tr><td><b>user {n}</b><br>{text * 2}Number {n}.</td></tr>" for n in range(12))
    menu = "".join(f"<a href=/m{n}>Section {n}</a><br>" for n in range(10))
    cell = f"<td><font size=4><b>WinTide</b></font>{facts}{heading}<table>{rows}</table></td>"
    html = kept(f"<html><body><table><tr><td>{menu}</td>{cell}</tr></table></body></html>")
    assert all(words in html for words in ("WinTide", "3.2.1", "tide321.zip"))
    assert "Section 4" not in html


@pytest.mark.parametrize("name", ["id=comments", "class=reviews", "id=discussion"])
@pytest.mark.parametrize(
    "facts",
    [
        "<table><tr><th>Address<td>5 Quay Road<tr><th>Phone<td>555 0199</table>",
        "<div><dl><dt>Address<dd>5 Quay Road<dt>Phone<dd>555 0199</dl></div>",
        "<ul><li>Address: 5 Quay Road<li>Phone: 555 0199</ul>",
    ],
)
def test_comments_make_nothing_else_noise(facts, name):
    said = "".join(f"<div><b>Visitor {n}</b><br>on day {n}<p>{SENTENCE * 2}</p></div>" for n in range(10))
    assert "555 0199" in kept(f"<body><h1>Miller and sons</h1>{facts}<div {name}>{said}</div></body>")


@pytest.mark.parametrize("name", ["", "id=comments"])
def test_what_comments_are_about_stays_with_its_links(name):
    said = "".join(f"<div><b>Visitor {n}</b><br>on day {n}<p>{SENTENCE * 2}</p></div>" for n in range(14))
    menu = "".join(f"<li><a href=/m{n}>Section {n}</a></li>" for n in range(4))
    byline = "<p>By <a href=/u/1>Ada Miller</a> in <a href=/mills>Mills</a></p>"
    files = "<p><a href=/a.zip>For home</a> <a href=/b.zip>For work</a></p>"
    html = kept(f"<body><ul>{menu}</ul><h1>Zip tool</h1>{byline}{files}<div {name}>{said}</div></body>")
    assert all(words in html for words in ("Ada Miller", "Mills", "For home", "For work"))
    assert "Section 3" not in html


@pytest.mark.parametrize("names", ["px-2 py-1 text-sm", "css-1x2y3z", "sc-aXZVg kDqFtR", "C(#00f) P(8px)"])
def test_classes_that_name_nothing_are_no_labels(names):
    links = "".join(
        f"<div class='{names}'><a class='{names}' href=/m/{n}>Shop by {n}</a></div>" for n in range(14)
    )
    records = "".join(
        f"<div class='{names}'><h3 class='{names}'><a class='{names}' href=/r/{n}>A thing of brass {n}</a></h3>"
        f"<p class='{names}'>It belongs to record {n} alone, and to no other.</p><b class='{names}'>{n}.95</b></div>"
        for n in range(12)
    )
    html = kept(
        f"<body class='{names}'><div class='{names}'><div class='{names} x'>{links}</div>"
        f"<h1 class='{names}'>Things</h1><div class='{names}'>{records}</div></div></body>"
    )
    assert "record 11" in html
    assert "Shop by" not in html


def test_a_number_of_results_stays_beside_links_that_sort_them() -> None:
    shops = "".join(
        f"<div class=shop><h2><a href=/s/{n}>Shop {n}</a></h2><p>{SENTENCE}</p><p>{n} crowns</p></div>"
        for n in range(20)
    )
    sizes = "".join(f"<a href=?n={n}>{n}</a> | " for n in (20, 50, 100))
    above = f"<p><b>326</b> shops</p><p>Show {sizes}</p>"
    html = kept(f"<html><body><div id=main><h1>Shops</h1>{above}{shops}</div></body></html>")
    assert "326" in html
    assert "?n=50" not in html
