"""Lists of links in markup of their own: menus go, what the heading is about and cards stay."""

from __future__ import annotations

from scrapy_tps import prune
from scrapy_tps.engine.html.document import parse
from scrapy_tps.engine.native import walk
from scrapy_tps.engine.strategies.auto.control_lists import link_lists
from scrapy_tps.engine.strategies.auto.page import Page
from scrapy_tps.engine.strategies.auto.thresholds import LinkLists
from tests.engine.strategies.made import SENTENCE, menu

CARD = (
    '<div class="col"><div class="box"><a class=shot href="/{0}"><img src="/{0}.jpg"></a><i class=kind>Art</i>'
    '<b class=name><a href="/{0}">Vase {0}</a></b><u class=more><a href="/{0}">Read more</a></u></div></div>'
)
ROW = '<li class="town"><a href="/{0}">Town {0}</a></li>'


def kept(content: str, strategy: str = "auto") -> str:
    body = f"{menu(20, 'nav')}<div class=page>{content}</div><footer>Imprint</footer>"
    return prune(
        f"<html><body>{body}</body></html>", settings={"TPS_MIN_NODES": 0, "TPS_STRATEGY": strategy}
    ).html


def text(paragraphs: int = 20) -> str:
    return "".join(f"<p class=text>{SENTENCE}{number}</p>" for number in range(paragraphs))


def test_cards_of_a_picture_a_title_and_a_link_to_more_stay() -> None:
    cards = "".join(map(CARD.format, range(9)))
    html = kept(f"<div class=top><h1>Vases</h1>{text()}</div><section class=grid>{cards}</section>")
    assert all(f"Vase {one}<" in html for one in range(9))


def test_a_list_of_links_beside_the_first_heading_stays() -> None:
    towns = f"<ul class=towns>{''.join(map(ROW.format, range(24)))}</ul>"
    assert "Town 23" in kept(f"<h1>Towns with mills</h1>{text()}{towns}")
    below = f"<div class=top><h1>The mill</h1>{text()}</div>{towns}"
    assert "Town 23" not in kept(below, "aggressive")


def test_a_short_list_of_links_below_a_text_stays_where_a_role_says_what_is_main() -> None:
    links = "".join(f"<li><a href=/clay/{n}>Clay of town {n}</a></li>" for n in range(7))
    sources = "".join(f"<li>Miller, Clays, {1980 + n}</li>" for n in range(5))
    page = (
        f"<html><body><div {{}}><h1>Clay</h1><div>{f'<p>{SENTENCE * 5}</p>' * 3}<h2>See also</h2><ul>{links}</ul>"
        f"<h2>Sources</h2><ol>{sources}</ol></div></div>{menu(9)}</body></html>"
    )
    settings = {"TPS_MIN_NODES": 0}
    assert "Clay of town 3" in prune(page.format("role=main"), settings=settings).html
    assert "Clay of town 3" not in prune(page.format(""), settings=settings).html


def test_names_of_comments_or_page_numbers_do_not_tell_where_the_menu_is() -> None:
    entries = "".join(f"<a class=px-2 href=/m/{n}>Menu {n}</a>" for n in range(9))
    below = "".join(f"<div><a class=text-sm href=/f/{n}>Imprint {n}</a></div>" for n in range(9))
    for part in ("div id=comments", "div class=pagination"):
        content = f"<div class=mt-4><h1>The mill</h1>{text(9)}<{part}><p>A fine mill.</p></div></div>"
        body = f"<div class=flex>{entries}</div>{content}<div class=grid>{below}</div>"
        html = prune(f"<html><body>{body}</body></html>", settings={"TPS_MIN_NODES": 0}).html
        assert "A fine mill" in html
        assert "Menu 4" not in html
        assert "Imprint 4" not in html


def test_menus_of_pages_whose_elements_say_nothing_go() -> None:
    """Records are at the same paths of `div` elements; the texts of their links are not."""
    entries = "".join(f"<div class=c{n}a1><a class=b1f2 href=/m/{n}>Menu {n}</a></div>" for n in range(9))
    cards = "".join(
        f"<div class=e4d5><a class=b1f2 href=/c/{n}><div class=n0p1>Chair number {n}</div></a>"
        f"<div class=r8s9>{n} crowns</div></div>"
        for n in range(10, 30)
    )
    list_of_cards = f"<div class=f2f3><h1 class=h1a2>Chairs</h1><div class=x9x9>{cards}</div></div>"
    body = f"<div class=a0b1><div class=k7l8>{entries}</div></div>{list_of_cards}"
    html = prune(f"<html><body>{body}</body></html>", settings={"TPS_MIN_NODES": 0}).html
    assert "Menu 8" not in html
    assert html.count("Chair number") == 20


def test_a_menu_in_the_markup_of_a_shorter_list_goes() -> None:
    """Elements that say nothing are alike in a menu and in a footer, including the texts of their links."""
    link = "<div class=q7><a class=b1f2 href=/m/{0}>Menu {0}</a></div>"
    top = "".join(map(link.format, range(14)))
    body = (
        f"<div class=k7><div class=a0>{top}</div><div class=x9><h1 class=h1a2>The mill</h1>{text(9)}</div>"
        f"<div class=f0>{link.format(20)}{link.format(21)}</div></div>"
    ).replace("class=text", "class=p3")
    html = prune(f"<html><body>{body}</body></html>", settings={"TPS_MIN_NODES": 0}).html
    assert "Menu 13" not in html
    assert "Menu 21" in html


def test_a_menu_and_a_footer_of_the_same_elements_and_other_classes_go() -> None:
    """Hashed classes name nothing, but tell one component from another."""
    top, bottom = (
        "".join(f"<div><a class={name} href=/{name}/{n}>{name} {n}</a></div>" for n in range(14))
        for name in ("a1b2", "c3d4")
    )
    body = (
        f"<div class=k7><div class=a0>{top}</div><div class=x9><h1 class=h1a2>The mill</h1>{text(9)}</div>"
        f"<div class=f0>{bottom}</div></div>"
    ).replace("class=text", "class=p3")
    html = prune(f"<html><body>{body}</body></html>", settings={"TPS_MIN_NODES": 0}).html
    assert "a1b2 13" not in html
    assert "c3d4 13" not in html
    assert "two hundred years" in html


def test_a_menu_in_cells_of_a_page_laid_out_with_tables_goes() -> None:
    """Its cells, fonts and line breaks are those of the records."""
    entries = "".join(f"<tr><td><font><a href=/m/{n}>Menu {n}</a></font></td></tr>" for n in range(9))
    rows = "".join(
        f"<tr><td><b><a href=/{n}>A mill by the river, number {n}</a></b></td><td><font>{n} rooms</font></td></tr>"
        for n in range(12)
    )
    body = (
        f"<table><tr><td><table>{entries}</table></td><td><font>Mills to let</font><table>{rows}</table></td></tr>"
        "</table>"
    )
    html = prune(f"<html><body>{body}</body></html>", settings={"TPS_MIN_NODES": 0}).html
    assert "Menu 8" not in html
    assert html.count("A mill by") == html.count("rooms") == 12
    assert "Mills to let" in html


def test_a_menu_goes_with_its_headings() -> None:
    column = "<div class=c7><div class=h2>Column {0}</div>{1}</div>"
    link = "<div class=q7><a class=b1f2 href=/m/{0}{1}>Menu {0}{1}</a></div>"
    columns = "".join(
        column.format(one, "".join(link.format(one, number) for number in range(5))) for one in "ABC"
    )
    body = (
        f"<div class=k7><div class=x9><h1 class=h1a2>The mill</h1><div class=r1><div class=n4>1912</div></div>{text(9)}"
        f"</div><div class=f0>{columns}</div></div>"
    ).replace("class=text", "class=p3")
    html = prune(f"<html><body>{body}</body></html>", settings={"TPS_MIN_NODES": 0}).html
    assert "Menu C4" not in html
    assert "Column C" not in html
    assert "1912" in html


def test_lines_of_a_list_that_are_coloured_stay() -> None:
    minutes = [f"<a href=/{n}.doc>Minutes of March {n}, {2014 + n % 5}</a><br>" for n in range(60)]
    lines = f"{''.join(minutes[:56])}<font color=red><u>2013</u><br>{''.join(minutes[56:])}</font>"
    page = f"<html><body><div>{menu(12)}</div><div><div>{lines}</div></div></body></html>"
    html = prune(page, settings={"TPS_MIN_NODES": 0}).html
    assert all(line.removesuffix("<br>") in html.replace('"', "") for line in minutes)


def test_the_search_ends_after_more_than_the_allowed_visits() -> None:
    row = "<li><i>x</i><i>x</i><i>x</i><i>y</i><a href=/{0}>Record number {0} of them</a></li>"
    records = "".join(map(row.format, range(4)))
    towns = "".join(map(ROW.format, range(4))).replace("li", "b")

    def page(rules: int) -> Page:
        body = f"<p>{SENTENCE * 50}</p><div><ul>{records}</ul></div><ol>{towns}</ol>{'<hr>' * rules}"
        return Page(walk(parse(body).body))

    # the part with the records and the list in it are visited to their ends, and one symbol behind them
    part = next(iter(page(0).sequence.find({"div"})))
    visits = 2 * (page(0).end[part] - part) + 1
    spare = visits - len(page(0).end)
    limits = LinkLists(visits_per_node=1, share=0.9)
    assert len(link_lists(page(spare), limits)) == 1
    assert not link_lists(page(spare - 1), limits)


def columns_of(*lists: str, rest: str = "") -> str:
    """A page whose menu, text, column and footer are at one tag path."""
    link = "<div><a href=/{0}/{1}>{0} {1}</a></div>"
    parts = [f"<div>{''.join(link.format(name, n) for n in range(5))}</div>" for name in lists]
    parts.insert(1, f"<div><h1>The mill</h1>{text(9)}</div>".replace(" class=text", ""))
    parts[-1] = f"<div>{parts[-1]}{rest}</div>"
    return prune(f"<html><body><div>{''.join(parts)}</div></body></html>", settings={"TPS_MIN_NODES": 0}).html


def test_lists_of_the_same_markup_go_together() -> None:
    html = columns_of("Menu", "Story", "Foot")
    assert not any(name in html for name in ("Menu 4", "Story 4", "Foot 4"))
    assert f"{SENTENCE}8" in html


def test_a_number_of_results_stays_where_such_lists_go() -> None:
    lists = [
        "".join(f"<div><a href=/{n}>{name} {n}</a></div>" for n in range(4)) for name in ("Menu", "Foot")
    ]
    books = "".join(
        f"<table><tr><td><b><a href=/b/{n}>A history of mills, part {n}</a></b><br>Ada Miller, 19{n + 10}</td></tr>"
        "</table>"
        for n in range(10)
    )
    body = f"<div>10 books of 69</div><div>{lists[0]}</div>{books}<div>{lists[1]}</div>"
    html = prune(f"<html><body>{body}</body></html>", settings={"TPS_MIN_NODES": 0}).html
    assert "10 books of 69" in html
    assert not any(name in html for name in ("Menu 3", "Foot 3"))


def test_the_words_beside_the_links_of_a_footer_go_with_them() -> None:
    assert "Printed in Graz" not in columns_of("Menu", "Foot", rest="<p>Printed in Graz</p>")
    assert "Open until" in columns_of("Menu", "Foot", rest=f"<p>Open until nine. {SENTENCE}</p>")


def tailwind(content: str, behind: str = "", words: str = "") -> str:
    """A page whose menu and last part have the same elements; words begin the last part."""
    entries = "".join(f"<a class=px-2 href=/m/{n}>Menu {n}</a>" for n in range(9))
    last = "".join(f"<a class=text-sm href=/f/{n}>Imprint {n}</a>" for n in range(3))
    body = f"<div class=flex>{entries}</div>{content}<div class=grid>{words}{last}</div>{behind}"
    return prune(f"<html><body>{body}</body></html>", settings={"TPS_MIN_NODES": 0}).html


def test_a_short_list_at_the_end_of_the_page_goes() -> None:
    content = (
        f"<div class=mt-4><h1>The mill</h1>{text(9)}<div class=p-2><a href=/wheel>The wheel</a></div></div>"
    )
    assert "Imprint 2" not in tailwind(content)
    assert "The wheel" in tailwind(content)
    assert "Imprint 2" in tailwind(content, f"<div class=mt-4>{text(9)}</div>")


def test_articles_do_not_tell_where_the_menu_is_and_keep_their_topics() -> None:
    topics = "".join(f"<a class=rounded href=/t/{n}>Topic {n}</a>" for n in range(7))
    html = tailwind(f"<article><h1>The mill</h1>{text(9)}<div class=mt-2>{topics}</div></article>")
    assert "Topic 6" in html
    assert "Menu 8" not in html
    assert "Imprint 2" not in html
    assert "Menu 8" in tailwind(f"<section><h1>The mill</h1>{text(9)}</section>")


def test_such_a_list_goes_with_the_few_words_before_it() -> None:
    content = f"<div class=mt-4><h1>The mill</h1>{text(9)}</div>"
    assert "Imprint 2" not in tailwind(content, words="<b>Read on</b>")
    assert "Imprint 2" not in tailwind(content, words="<b>Who we are</b>")
    assert "Open until nine" in tailwind(content, words="<b>Open until nine on Sundays</b>")
