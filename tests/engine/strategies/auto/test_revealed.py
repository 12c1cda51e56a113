"""Hidden parts that a click shows stay where they are answers or lists of products."""

from __future__ import annotations

import pytest

from tests.engine.strategies.made import SENTENCE, article, kept, listing, menu, record

HIDING = ["style='display: none'", "hidden", "class=hidden"]


def questions(hidden: str, *texts: str, times: int = 4) -> str:
    parts = texts or tuple(f"{SENTENCE}{number}" for number in range(times))
    return "".join(
        f"<div><h3>Question {number}?</h3><div {hidden}><p>{text}</p></div></div>"
        for number, text in enumerate(parts)
    )


@pytest.mark.parametrize("hidden", HIDING)
def test_answers_below_their_questions_stay(hidden: str) -> None:
    html = article().replace("<ul class", f"<section>{questions(hidden)}</section><ul class")
    assert all(f"hundred years. {number}</p></div></div>" in kept(html) for number in range(4))


def test_tabs_that_are_not_the_open_one_stay() -> None:
    tab = "<div role=tabpanel aria-hidden=true style='display: none'><p>Sizes: 38 to 44</p></div>"
    assert "Sizes: 38 to 44" in kept(listing().replace("<body>", f"<body>{tab}", 1))


@pytest.mark.parametrize(
    "part",
    [
        pytest.param(questions("hidden", *[SENTENCE] * 4), id="the same each time"),
        pytest.param(questions("hidden", times=2), id="two of them"),
        pytest.param(
            questions("hidden").replace("Question", "").replace("?", "").replace("h3", "i"), id="first"
        ),
    ],
)
def test_other_hidden_prose_goes(part: str) -> None:
    for number in range(10):
        part = part.replace(f"<i> {number}</i>", "")
    html = kept(article().replace("<ul class", f"<section>{part}</section><ul class"))
    assert "years. <" not in html
    assert "years. 0</p></div>" not in html
    assert html.count("The mill by the river") == 24


def years(title: str, hidden: str = HIDING[0]) -> str:
    return "".join(
        f"<div><div>{title.format(year)}</div><ul {hidden}>"
        + "".join(f"<li><a href=/m/{year}/{month}>Minutes {year}, {month}</a></li>" for month in range(1, 9))
        + "</ul></div>"
        for year in range(2023, 2027)
    )


def minutes(below: str = "", above: str = "") -> str:
    return (
        f"<html><body><div class=top><a href=/>Start</a>{above}</div><h1>Minutes of the mill</h1><p>{SENTENCE}</p>"
        f"<section class=body>{below}</section><p>{SENTENCE}</p></body></html>"
    )


@pytest.mark.parametrize("hidden", HIDING)
def test_lists_of_links_that_a_title_opens_stay(hidden: str) -> None:
    assert kept(minutes(years("{}", hidden))).count(">Minutes 20") == 32


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(minutes(years("<a href=/{0}>{0}</a>")), id="below links"),
        pytest.param(minutes(above=years("{}")), id="above the heading"),
    ],
)
def test_menus_that_open_go(page: str) -> None:
    assert page.count(">Minutes 20") == 32
    assert ">Minutes 20" not in kept(page)


@pytest.mark.parametrize("hidden", HIDING)
def test_hidden_fields_of_records_stay(hidden: str) -> None:
    items = "".join(
        f"<li><a href=/p/{number}>Thing {number}</a><b>{number}.95</b><div {hidden}>weighs {number} stone</div></li>"
        for number in range(9)
    )
    html = kept(f"<html><body><nav><a href=/>Start</a></nav><h1>Things</h1><ul>{items}</ul></body></html>")
    assert html.count(" stone</div>") == 9


def tabs(hidden: str, classes: str = "class=products-content", around: str = "div") -> str:
    shown = "".join(map(record, range(8)))
    others = "".join(map(record, range(20, 24)))
    return (
        f"<html><body><nav><a href=/>Start</a><a href=/a>About</a></nav><h1>Shop</h1><{around}>"
        f"<div class='products-content wide'>{shown}</div><div {classes} {hidden}>{others}</div></{around}>"
        "</body></html>"
    )


@pytest.mark.parametrize(
    "html",
    [
        *(pytest.param(tabs(hidden), id=hidden) for hidden in HIDING[:2]),
        pytest.param(tabs("hidden").replace("products-content wide", " "), id="beside one without classes"),
        pytest.param(tabs("hidden", around="form"), id="in a form"),
        pytest.param(tabs("hidden").replace(".95", ""), id="without prices"),
    ],
)
def test_records_in_another_tab_stay(html: str) -> None:
    assert kept(html).count("Record number 2") == 5


@pytest.mark.parametrize(
    "html",
    [
        pytest.param(tabs("hidden", "class=cart"), id="of another make"),
        pytest.param(tabs("hidden", "class=cart").replace("div class=cart", "section"), id="of another tag"),
    ],
)
def test_other_hidden_lists_go(html: str) -> None:
    assert "Record number 22" not in kept(html)
    assert "Record number 7" in kept(html)


def test_a_hidden_list_beside_hidden_lists_goes() -> None:
    parts = "".join(f"<div class=panes hidden>{record(number) * 3}</div>" for number in (50, 51))
    assert "Record number 5 " in (html := kept(listing().replace("<footer>", f"<div>{parts}</div><footer>")))
    assert "Record number 51" not in html


MATHS = (
    "<span class=math><span style='display: none'><math><mi>E</mi><mo>=</mo><mi>mc</mi></math></span>"
    "<img src=f.svg></span>"
)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (f"<p>The formula {MATHS} is known to all.</p>", "mc"),
        ("<p>Rated <i aria-hidden=true>****</i><span style='display:none'>4 of 5 stars</span></p>", "4 of 5"),
        (
            "<h2><span class=t>The Mill</span><span class=t style='display:none'>Die Muehle</span></h2>",
            "Die M",
        ),
        ("<td><span class=alias>Old mill</span><span class=alias hidden>Alte Muehle</span></td>", "Alte M"),
        (
            "<p><b class='name lang-en'>Oak</b><b class='name lang-de d-none' style='display:none'>Eiche</b></p>",
            "Eiche",
        ),
        (
            "<p><span class=t>Oak</span>"
            + "".join(f"<span class=t style='display:none'>Oak in language {n}.</span>" for n in range(60))
            + "</p>",
            "language 59.",
        ),
        (
            "<p>A load of <mjx-container><svg><path d=M1 /></svg><mjx-assistive-mml style='display:none'><math>"
            "<mn>404</mn></math></mjx-assistive-mml></mjx-container> is given.</p>",
            "404",
        ),
    ],
)
def test_a_hidden_text_next_to_what_stands_for_it_stays(line, said):
    text = f"<p>{SENTENCE * 3}</p>"
    assert said in kept(f"<body>{menu(30, 'nav')}<h1>The mill</h1>{text}{line}{text}</body>")


def test_hidden_prose_of_a_custom_dialog_goes():
    text = f"<p>{SENTENCE * 3}</p>" * 3
    dialog = f"<login-modal hidden><p>{SENTENCE}Of oak.</p></login-modal>"
    assert "Of oak" not in kept(f"<body>{menu(30, 'nav')}<h1>The mill</h1>{text}{dialog}{text}</body>")


def test_a_hidden_text_of_its_own_goes():
    text = f"<p>{SENTENCE * 3}</p>"
    line = "<p>It is old.<span style='display:none'>An error has occurred.</span></p>"
    html = kept(f"<body>{menu(30, 'nav')}<h1>The mill</h1>{text}{line}{text}</body>")
    assert "It is old" in html
    assert "An error" not in html
