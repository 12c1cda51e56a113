"""Long lists of what a search can be set to."""

from __future__ import annotations

import pytest
from scrapy import FormRequest
from scrapy.http import HtmlResponse

from scrapy_tps import prune, prune_response
from tests.engine.strategies.made import menu, record

JUDGES = [f"<option value='J{number}'>Judge {chr(65 + number % 26)}{number}</option>" for number in range(40)]
YEARS = [f"<option>{year}</option>" for year in range(2025, 1985, -1)]
HIDDEN = "<input type=hidden name=csrf value=x>"


def page_with(part: str) -> str:
    """Records in a form, as ASP.NET writes them, with this part between them."""
    records = [record(number).replace("<form>", "<p>").replace("</form>", "</p>") for number in range(12)]
    records.insert(6, f'<div class="item">{part}</div>')
    return f"<html><body>{menu(40, 'nav')}<h1>All the records</h1><div>{''.join(records)}</div></body></html>"


def choice(options: list[str], *, form: str = "", select: str = "") -> str:
    chosen = f'<p>Choose here</p><select name="choice" {select}>{"".join(options)}</select>'
    return f"<form {form}>{chosen}</form>" if form else chosen


@pytest.mark.parametrize(
    "part",
    [
        choice(JUDGES, form="method=GET action=/search"),
        choice(JUDGES, select="multiple"),
        choice(
            [f"<optgroup label={start}>{''.join(JUDGES[start::2])}</optgroup>" for start in (0, 1)],
            select="multiple",
        ),
    ],
    ids=["address", "several", "groups"],
)
def test_of_a_long_list_of_a_search_between_records_what_is_set_stays(part: str) -> None:
    pruning = prune(page_with(part))
    assert pruning.html.count("<option") == 1
    assert pruning.html.count("<h3>") == 12
    assert "Choose here" in pruning.html
    reasons = {region.reason for region in pruning.regions if region.rule == "choices"}
    assert reasons == {f"all but the selected options of a list of {part.count('<option')}"}


@pytest.mark.parametrize(
    ("first", "form"),
    [([], "method=post"), (["<option value=''>Year</option>", "<option value='0'>All years</option>"], "")],
    ids=["numbers", "numbers below a title"],
)
def test_of_a_row_of_numbers_both_ends_stay_as_well(first: list[str], form: str) -> None:
    options = [*first, *YEARS]
    options[5] = options[5].replace("<option", "<option selected")
    pruning = prune(page_with(choice(options, form=form)))
    assert [option in pruning.html for option in (options[5], *YEARS[5:-1])].count(True) == 1
    assert (options[0].partition(">")[2] in pruning.html, YEARS[-1] in pruning.html) == (True, True)
    assert pruning.html.count("<option") == 3


def test_a_list_that_is_most_of_the_page_goes_as_well() -> None:
    options = [f"<option>Judge {number} of the court</option>" for number in range(300)]
    text = "<h1>Opinions</h1>" + "<p>No opinion of this judge was found; there is another court, too.</p>" * 9
    pruning = prune(f"<html><body>{text}{choice(options, select='multiple')}</body></html>")
    assert pruning.html.count("<option") == 1
    assert "No opinion" in pruning.html


def test_where_there_is_little_else_to_read_the_choices_stay() -> None:
    states = [f"<option value=S{number}>State of number {number}</option>" for number in range(50)]
    form = choice(states, form="method=get action=/dealers")
    page = f"<html><body>{menu(30, 'nav')}<h1>Find a dealer</h1><p>Choose your state.</p>{form}</body></html>"
    assert prune(page).html.count("<option") == 50


@pytest.mark.filterwarnings("ignore:FormRequest.from_response")
def test_what_is_selected_stays_and_is_sent_as_before() -> None:
    options = [
        option.replace("<option", "<option selected", 1) if "J7" in option else option for option in JUDGES
    ]
    page = page_with(choice(options, form="method=get action=/search"))
    before = HtmlResponse("https://court.example/", body=page, encoding="utf-8")
    pruned = before.replace(body=prune(page).html)
    assert pruned.text.count("<option") == 1
    assert FormRequest.from_response(pruned).url == FormRequest.from_response(before).url
    assert "choice=J7" in FormRequest.from_response(pruned).url


@pytest.mark.parametrize(
    "part",
    [
        choice(JUDGES[:29], select="multiple"),
        choice(JUDGES, form="method=post"),
        choice(JUDGES),
        choice(
            [f"<option value=/archive/{number}>Number {number}</option>" for number in range(40)],
            select="multiple",
        ),
        choice([f"<option>Size {number} – ${number}.50</option>" for number in range(40)], select="multiple"),
        choice([f"<option>{number}</option>" for number in range(100, 3000, 70)]),
        choice([f"<option value=?page={number}>{number}</option>" for number in range(40)]),
        choice([f"<option value=4{number * 7}>{number}</option>" for number in range(36, 76)]),
        choice([f"<option data-stock=3>{number}</option>" for number in range(36, 76)]),
        choice(YEARS, select="onchange='location = this.value'"),
        choice([*YEARS, "<option>1985<p>The opinion of the court, unclosed"], select="multiple"),
    ],
    ids=[
        *(
            "short",
            "of a product",
            "without a form",
            "pages",
            "prices",
            "no row of numbers",
            "queries",
            "sizes",
        ),
        *("data", "a script goes there", "more than options"),
    ],
)
def test_lists_that_may_be_data_stay(part: str) -> None:
    pruning = prune(page_with(part))
    assert pruning.html.count("<option") == part.count("<option")
    assert pruning.pruned


def test_a_spider_that_asks_for_the_choices_gets_all() -> None:
    page = page_with(choice(JUDGES, form="method=get action=/search"))
    response = prune_response(HtmlResponse("https://court.example/", body=page, encoding="utf-8"))
    assert response.text.count("<option") == 1
    assert len(response.css("select option::text").getall()) == 40
    assert len(response.css("select").xpath("option/@value").getall()) == 40
    assert len(response.css("div.item select")[0].css("option")) == 40
    assert len(response.xpath("//select/*/@value")) == 40
