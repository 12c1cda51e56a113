"""What is told about a loss, and which outputs go on."""

from __future__ import annotations

from scrapy_tps.engine.prune import prune
from scrapy_tps.shadow.comparison import compare
from scrapy_tps.shadow.explain import MOST_EXPLAINED, explain, lines
from scrapy_tps.shadow.forms import Form, item_form
from scrapy_tps.shadow.pagecheck import PageCheck
from scrapy_tps.shadow.runs import Output, Run
from tests.support.shadow_site import CHANGED, listing, name, price

SETTINGS = {"TPS_STRATEGY": "tests.support.shadow_site.DropSide", "TPS_MIN_NODES": 5}


def records(*numbers: int) -> list[Form]:
    return [
        item_form({"name": name(CHANGED, one), "price": price(CHANGED, one), "id": one * 1000})
        for one in numbers
    ]


def request(url: str) -> Form:
    return Form("request", {"method": "GET", "url": url}, url)


def run(*forms: Form) -> Run:
    return Run([Output(form, form, form) for form in forms])


def test_outputs_whose_values_were_found_are_told_first() -> None:
    pruning = prune(listing(CHANGED), settings=SETTINGS)
    # the callback failed at once: records 0 to 5 were there, but never reached
    explanation = explain(compare(records(*range(10)), []), pruning)
    told = [line for line in lines(explanation) if line.startswith("lost: ")]
    assert len(told) == MOST_EXPLAINED
    for line, number in zip(told, (6, 7, 8, 9, 0), strict=True):
        assert repr(name(CHANGED, number)) in line
    assert explanation.remedies == [("li.record",), ("ul.more.side",)]


def test_values_in_no_removed_part_are_told_apart() -> None:
    pruning = prune(listing(CHANGED), settings=SETTINGS)
    text = "\n".join(lines(explain(compare(records(6), []), pruning)))
    assert (
        "removed: /html/body/ul[2] (looks like a side bar; rule side) held name 'Record 7-6', price '706.50'"
        in text
    )
    assert (
        "in no removed part (computed, never reached, or selected by position or surroundings): id 6000"
        in text
    )
    ignored = frozenset({("dict", "id")})
    assert "6000" not in "\n".join(lines(explain(compare(records(6), [], ignored), pruning, ignored))[1:])


def test_address_of_the_page_is_not_looked_for_on_it() -> None:
    url = "https://a.example/list"
    pruning = prune(listing(CHANGED), url=url, settings=SETTINGS)
    told = lines(explain(compare([item_form({"name": name(CHANGED, 6), "from": url})], []), pruning))
    assert any("held name" in line for line in told)
    assert not any("in no removed part" in line for line in told)


def test_loss_that_cannot_be_found_still_has_advice() -> None:
    pruning = prune(listing(1), settings=SETTINGS)
    explanation = explain(compare([item_form({"sum": 123456})], []), pruning)
    assert explanation.setting == ""
    assert "TPS_DOMAINS" in lines(explanation)[-1]


def test_requests_are_told_by_their_address() -> None:
    page = listing(CHANGED)
    pruning = prune(page, url="https://a.example/list", settings=SETTINGS)
    lost = request("https://a.example/record?page=7&record=8")
    explanation = explain(compare([lost], []), pruning)
    assert lines(explanation)[0] == "lost request: GET https://a.example/record?page=7&record=8"
    assert explanation.keep == ("a.name",)


def made_good(original: Run, pruned: Run, *, remembers: bool | None = None) -> list[str]:
    check = PageCheck(pruned, original, compare(original.forms, pruned.forms), remembers=remembers)
    return [
        str(output.form.fields.get("name", output.form.fields.get("url")))
        for output in check.made_good().outputs
    ]


def test_original_takes_the_place_of_a_pruned_page_that_lost_something() -> None:
    a, b, wrong = (item_form({"name": one, "kind": 1}) for one in ("a", "b", "wrong"))
    assert made_good(run(a, b), run(a)) == ["a", "b"]
    assert made_good(run(a, b), run(a, wrong)) == ["a", "b"]


def test_runs_that_share_nothing_are_put_together() -> None:
    # a spider that gives nothing twice: its second run has only what the first one lacked
    a, b, c = (item_form({"name": one}) for one in ("a", "b", "c"))
    assert made_good(run(c), run(a, b)) == ["c", "a", "b"]
    assert made_good(run(c), run(a, b), remembers=True) == ["c", "a", "b"]


def test_items_of_the_pruned_page_alone_are_its_mistakes_where_the_spider_repeats_itself() -> None:
    a, b, c = (item_form({"text": one}) for one in ("a x", "b y", "c z"))
    assert made_good(
        run(a, b, c), run(item_form({"text": "a"}), item_form({"text": "b"})), remembers=False
    ) == [
        "None",
        "None",
        "None",
    ]


def test_requests_of_both_runs_go_on() -> None:
    assert made_good(run(request("/1"), request("/2")), run(request("/1"), request("/3"))) == [
        "/1",
        "/2",
        "/3",
    ]
