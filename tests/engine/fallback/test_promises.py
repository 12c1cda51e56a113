"""Selections of which answers were once wrong, each as the page as downloaded answers it."""

from __future__ import annotations

from typing import Any

import pytest
from lxml import etree, html
from scrapy.http import HtmlResponse

from scrapy_tps import prune_response
from scrapy_tps.selector import OriginalSelector
from tests.support.cuts import without

TEXT = "<p>A sentence of the article.</p>" * 9


def both(markup: str, *gone: str) -> tuple[Any, Any]:
    """A page as downloaded, and pruned without what the selectors match."""
    page = HtmlResponse("http://a.example/", body=markup.encode(), encoding="utf-8")
    return page, prune_response(page, without(*gone))


@pytest.mark.parametrize("selector", ["//head/*[3]", "//link[2]/@href", "(//script)[2]", "//head/*[last()]"])
def test_positions_among_elements_that_no_browser_shows_count_on_the_original(selector: str) -> None:
    head = "<title>t</title><link rel=stylesheet href=/a.css><script>1</script><link rel=canonical href=/b>"
    page, pruned = both(f"<head>{head}<script>2</script></head><body><aside>x</aside>{TEXT}", "aside")
    assert pruned.xpath(selector).getall() == page.xpath(selector).getall() != []


@pytest.mark.parametrize(
    "selector",
    [
        "normalize-space((//td)[2])",
        "string(/html/body/div[2]/b)",
        "name(//body/*[last()])",
        "concat(//h1, ': ', //i[@class='cost'])",
        "substring-after(//div[2]/b[last()], ' ')",
        "string(//h1/preceding::b[1])",
        "string(//li[@class='row'])",
    ],
)
def test_texts_are_those_of_the_elements_that_their_paths_find(selector: str) -> None:
    rows = "".join(f"<li class=row>{number}" for number in range(6))
    row = "<table><tr><td>a<td>b</table>"
    main = f"<div><b>The third</b></div><b>A bold one</b><h1>Name</h1><ul>{rows}</ul>{row.upper()}{TEXT}"
    gone = f"<aside>{row}<i class=cost>9</i></aside><div class=gone><b>The second</b></div>"
    page, pruned = both(
        f"<body><div>1</div>{gone}{main}<footer>f</footer>", "aside", ".gone", "footer", "li:first-child"
    )
    assert pruned.xpath(selector).getall() == page.xpath(selector).getall() != []


def test_the_text_of_tags_of_the_page_is_that_of_the_pruned_page() -> None:
    _, pruned = both(f"<body><article><h1>Name</h1><aside>x</aside>{TEXT}</article>", "aside")
    for selector in ("string(//article)", "string(//body)", "concat(//article, '')", "string(.)", "string()"):
        assert "Namex" not in pruned.xpath(selector).get()


@pytest.mark.parametrize(
    "select",
    [
        lambda page: page.css("article")[0].xpath("string(.)"),
        lambda page: page.css("article")[0].xpath("normalize-space()"),
        lambda page: page.xpath("//body").xpath("concat(article, '!')"),
        lambda page: page.css("article, h1").xpath("string()"),
        lambda page: page.xpath("string(//article[@class='post'])"),
        lambda page: page.xpath("normalize-space(//article[@class='post']/div)"),
    ],
)
def test_the_text_of_an_element_that_a_name_or_a_selector_finds_is_that_of_the_original(select: Any) -> None:
    article = f"<div><h1>Name</h1><p><b>By</b> <aside>Ada</aside></p>{TEXT}</div>"
    page, pruned = both(f"<body><article class=post>{article}</article><footer>f</footer>", "aside", "footer")
    assert select(pruned).getall() == select(page).getall()
    assert "Ada" in select(pruned)[0].get()


def test_what_is_left_in_a_template_hides_no_list_that_went() -> None:
    card = "<div class=card>card</div>"
    page, pruned = both(f"<body>{TEXT}<template>{card}</template><aside>{card * 6}</aside>", "aside")
    assert pruned.css(".card").getall() == page.css(".card").getall()


@pytest.mark.parametrize(
    "selector",
    ["//script/text()", "//noscript//img/@src", "//div//script", "//template//i/text()", "//comment()"],
)
def test_what_no_browser_shows_is_all_of_the_original(selector: str) -> None:
    def block(number: int) -> str:
        code = f"<script>var shop = {number}</script><noscript><img src={number}></noscript>"
        return f"<div>{code}<template><i>{number}</i></template><!-- {number} --></div>"

    page, pruned = both(f"<body>{block(1) * 2}{TEXT}<aside>{block(2)}</aside>", "aside")
    assert pruned.xpath(selector).getall() == page.xpath(selector).getall()


@pytest.mark.parametrize("selector", ["[data-price]", "span::attr(data-price)", "li[itemprop] span"])
def test_attributes_of_the_page_s_own_name_a_list(selector: str) -> None:
    rows = "".join(f"<li itemprop=item><span data-price={number}>{number}</span>" for number in range(6))
    page, pruned = both(f"<body><ul>{rows}</ul>{TEXT}<aside><ol>{rows}</ol></aside>", "aside")
    assert pruned.css(selector).getall() == page.css(selector).getall()


def test_an_alternative_of_a_union_that_went_whole_comes_back() -> None:
    titles = "".join(f"<h2 class=title>Title {number}</h2>" for number in range(5))
    page, pruned = both(f"<body>{titles}{TEXT}<aside><i class=author>Ada</i></aside>", "aside")
    selector = ".title::text, .author::text"
    assert pruned.css(selector).getall() == page.css(selector).getall()
    assert len(pruned.css("h2, i")) == 5  # tags alone mean the main content


def test_no_element_is_found_that_the_original_would_not_give() -> None:
    page, pruned = both(f"<body><div id=a><div class=gone>x</div>y</div><div id=b>z</div>{TEXT}", ".gone")
    assert pruned.xpath("//div[not(div)]/@id").getall() == page.xpath("//div[not(div)]/@id").getall() == ["b"]


@pytest.mark.parametrize(
    ("kept", "gone"),
    [
        ("<ul><li class=item>1</ul>", "<ul><li class=item>2<li class=item>3</ul>"),
        (
            "<section class=panel><a class=doc>1</a></section>" * 4,
            "<section class='panel'><a class=doc>2</a></section>",
        ),
    ],
    ids=["more than was found", "the same tag path"],
)
def test_the_wrong_list_does_not_satisfy_a_selector(kept: str, gone: str) -> None:
    page_markup = f"<body><div>{kept}</div>{TEXT}<nav>{gone}</nav>"
    page, pruned = both(
        page_markup.replace("<nav>", "<div class=nav>").replace("</nav>", "</div>"), ".nav > *"
    )
    selector = ".item::text, .doc::text"
    assert pruned.css(selector).getall() == page.css(selector).getall()


@pytest.mark.parametrize("at", [0, -1])
def test_the_price_of_a_page_is_not_that_of_a_related_item(at: int) -> None:
    related = "".join(f"<li><b class=price>{number}</b></li>" for number in range(4))
    page, pruned = both(f"<body><aside><i class=price>99</i></aside>{TEXT}<ul>{related}</ul>", "aside")
    assert pruned.css(".price::text").get() == "99"
    assert pruned.css(".price")[at].get() == page.css(".price")[at].get()


@pytest.mark.parametrize(
    "select",
    [
        lambda page: page.css(".post").css("p::text"),
        lambda page: page.css("article")[0].xpath(".//a/@href"),
        lambda page: page.css("h1")[0].xpath("following-sibling::p"),
        lambda page: page.css("body").css("a"),
    ],
)
def test_tags_below_an_element_are_all_of_the_original(select: Any) -> None:
    box = "<div class=box><p>By Ada</p><a href=/ada>Ada</a></div><p class=box>Updated</p>"
    page, pruned = both(f"<body><article class=post><h1>T</h1>{TEXT}<a href=/b>B</a>{box}</article>", ".box")
    assert select(pruned).getall() == select(page).getall() != []


def test_a_regular_expression_searches_tags_of_the_whole_page() -> None:
    aside = "<aside><p>Price: 12 EUR</p><a href=/map?id=3>Map</a></aside>"
    page, pruned = both(f"<body>{TEXT}<a href=/b>B</a>{aside}", "aside")
    assert len(pruned.css("a")) == len(pruned.css("p")) - 8 == 1  # without it, tags mean the main content
    assert pruned.css("a::attr(href)").re(r"map\?id=(\d)") == ["3"]
    assert pruned.xpath("//p").re_first(r"\d+ EUR") == "12 EUR"
    assert pruned.css("p").re(r"\w+") == page.css("p").re(r"\w+")


def test_an_xpath_may_be_bytes() -> None:
    page, pruned = both(f"<body><aside><i>x</i></aside>{TEXT}", "aside")
    assert pruned.xpath(b"//i/text()").getall() == ["x"]
    assert len(pruned.xpath(b"//p")) == len(page.xpath(b"//p"))


def test_elements_found_by_xpath_s_id_are_answers_of_the_original() -> None:
    _, pruned = both(f"<body><aside id=side>x</aside>{TEXT}<div><i id=only>y</i></div>", "aside", "#only")
    for selector in ("id('side')", "id('only')", "id('side only')[2]"):
        (found,) = pruned.xpath(selector)
        assert isinstance(found, OriginalSelector)


def test_an_element_of_both_pages_is_one_object() -> None:
    _, pruned = both(f"<body><main>{TEXT}<i class=gone>x</i></main>", ".gone")
    above = pruned.css("i.gone")[0].xpath("..")[0]
    assert above.root is pruned.css("main")[0].root
    assert "gone" in above.get()
    assert "gone" not in pruned.css("main").get()


@pytest.mark.parametrize("selector", ["//*[@id=$n]", "//*[foo(@id)]", "//*[@class='x'", "//a:b[@class='x']"])
def test_a_selector_that_is_wrong_fails_also_where_nothing_has_its_names(selector: str) -> None:
    _, pruned = both(f"<body><aside>x</aside>{TEXT}", "aside")
    with pytest.raises(ValueError, match="XPath error"):
        pruned.xpath(selector)


@pytest.mark.parametrize(("selector", "name"), [("u a", "tag"), (".u a", "class"), ("#u a", "id")])
def test_a_name_that_a_spider_gives_to_an_element_around_removed_parts_is_found(
    selector: str, name: str
) -> None:
    _, pruned = both(f"<body><section><aside><a>x</a></aside>{TEXT}</section>", "aside")
    assert not pruned.css(selector)
    around = pruned.css("section")[0].root
    if name == "tag":
        around.tag = "u"
    else:
        around.set(name, "u")
    assert pruned.css(f"{selector}::text").getall() == ["x"]


def test_names_that_a_spider_gives_to_elements_are_found() -> None:
    _, pruned = both(f"<body><aside>x</aside><h2>a</h2>{TEXT}", "aside")
    assert not pruned.css(".seen, #seen")
    pruned.css("h2")[0].root.set("class", "seen")
    pruned.css("p")[0].root.set("id", "seen")
    assert len(pruned.css(".seen, #seen")) == 2


def test_a_page_that_a_spider_moves_into_another_tree_is_searched_there() -> None:
    _, pruned = both(f"<body><aside>x</aside><h2 class=a>a</h2>{TEXT}", "aside")
    selector = pruned.selector
    new = etree.Element("new")
    new.append(selector.root)
    etree.SubElement(new, "i").set("class", "b")
    assert len(selector.css(".a")) == len(selector.xpath("//*[@class='b']")) == 1
    assert selector.css("aside::text").getall() == ["x"]
    assert not new.xpath("//aside")


def test_what_stands_before_what_a_spider_takes_out_of_the_removed_parts_is_found() -> None:
    _, pruned = both(f"<body>{TEXT}<i>a</i><i>b</i><i>c</i></body>", "i")
    for element in pruned.css("i")[1:]:
        element.root.getparent().remove(element.root)
    assert pruned.css("i::text").getall() == ["a"]


def test_removed_parts_are_found_around_what_a_spider_put_in_their_place() -> None:
    page, pruned = both(f"<body><ul><li>1<i>a</i></ul>2<i>b</i>3{TEXT}</body>", "i")
    for element in pruned.css("li, body"):
        element.root.append(html.fragment_fromstring("<u>own</u>"))
    for _ in range(2):
        assert pruned.css("i::text").getall() == page.css("i::text").getall()
        assert pruned.css("u::text").getall() == ["own", "own"]


def test_a_text_that_a_spider_has_changed_stays_so_after_an_answer_of_the_original() -> None:
    _, pruned = both(f"<body><ul><li>1<i>a</i></ul>2<i>b</i>3{TEXT}</body>", "i")
    items = pruned.css("ul")[0].root
    items.tail = "changed"
    assert pruned.css("li i::text").getall() == ["a"]
    assert items.tail == "changed"


def test_removed_parts_are_found_in_order_after_a_spider_took_out_what_stood_between_them() -> None:
    page, pruned = both(f"<body><i>a</i>b<i>c</i>d<main>{TEXT}</main><i>e</i>f<i>g</i>h</body>", "i")
    for main in pruned.css("main"):
        main.root.getparent().remove(main.root)
    for _ in range(2):
        assert pruned.css("i::text").getall() == page.css("i::text").getall()
    assert pruned.xpath("//i[2]/preceding-sibling::i/text()").getall() == ["a"]
