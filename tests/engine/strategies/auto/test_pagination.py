"""Rows of page numbers and years stay without rel, role or name, whatever holds them; other rows of numbers do not."""

from __future__ import annotations

import pytest

from scrapy_tps import prune
from tests.engine.strategies.made import SENTENCE, listing_above

ROWS = {
    "bold": '<a href="?p=1">1</a> <b>2</b> <a href="?p=3">3</a> <a href="?p=4">4</a> <a href="?p=3">»</a>',
    "separated": "Page 1 | <a href=/l?s=20>2</a> | <a href=/l?s=40>3</a> | <a href=/l?s=60>4</a>",
    "brackets": "[1] <a href=/page/2/>[2]</a> <a href=/page/3/>[3]</a> ... <a href=/page/57/>[57]</a>",
    "two pages": "1 <a href=/page/2/>2</a>",
    "in the middle": '<a href="?p=40">←</a> <a href="?p=40">40</a> <b>41</b> <a href="?p=42">42</a>'
    '<a href="?p=42">→</a>',
    "on the first page": "<a href=/l/2>2</a> <a href=/l/3>3</a> <a href=/l/4>4</a>",
    "two pages, both links": "Page <a>1</a> <a href=/page/2/>2</a> <a href=/page/2/>&gt;</a>",
    "items": "<ul><li><a href=/l><span>1</span></a></li><li><a href=/l/2><span>2</span></a></li></ul>",
    "cells": "<table><tr><td>1</td><td><a href=/l/2>2</a></td><td><a href=/l/3>3</a></td></tr></table>",
    "script": "<a href=\"javascript:to('p',1)\">1</a> <b>2</b> <a href=\"javascript:to('p',3)\">3</a>",
    "jumps": "Page 1 of 120 <a href=/l2>2</a> <a href=/l3>3</a> <a href=/l11>11</a> <a href=/l51>51</a>",
    "far between": "<a href=/l1>1</a> … <a href=/l4>4</a> <b>5</b> <a href=/l6>6</a> … <a href=/l30>30</a>",
    "tokens": "1 <a href=/l;s=A0geu8ACTGRRajMA_tLz6?b=11>2</a> <a href=/l;s=A0geu8ACTGRRajMA_9Lz6?b=21>3</a>",
    "pictures": "<img src=1 alt=1> <a href=/l2><img src=2 alt=2></a> <a href=/l3><img src=3 alt=3></a>",
    "words before them": "<ul><li>Page <b>1</b></li><li><a href=/l/2><i>Page</i> <b>2</b></a></li>"
    "<li><a href=/l/3><i>Page</i> <b>3</b></a></li></ul>",
    "words before the second": "<p><i>Page</i> 1 <a href='?p=2'><i>Go to page</i> 2</a></p>",
    "the last one further out": "<p><span><b><a href=/l/2>2</a> <a href=/l/3>3</a></b></span> "
    "<a href=/l/72>72</a></p>",
    "years": "<a href=/y/2001>2001</a> <a href=/y/2002>2002</a> <a href=/y/2003>2003</a>",
    "the last year first": "2026 | <a href=/y2025>2025</a> | <a href=/y2024>2024</a> | <a href=/y2023>2023</a>",
    "longer addresses": "".join(f"<a href=/category_page_{page}>{page}</a> " for page in range(1, 12)),
    "sizes and pages in a row": "Show <a href=/l?n=20>20</a> <a href=/l?n=50>50</a> "
    "<a href=/l1>1</a> <a href=/l2>2</a> <a href=/l3>3</a>",
    "Arabic": '<a href="?p=1">١</a> <b>٢</b> <a href="?p=3">٣</a> <a href="?p=4">٤</a>',
}

OTHERS = {
    "two years": "<a href=/y/2001>2001</a> <a href=/y/2002>2002</a>",
    "decades": "<a href=/y/1990>1990</a> <a href=/y/2000>2000</a> <a href=/y/2010>2010</a>",
    "models of years": "<a href=/corolla>2001</a> <a href=/golf>2002</a> <a href=/mini>2003</a>",
    "items per page": "<a href=?n=10>10</a> <a href=?n=20>20</a> <a href=?n=50>50</a> <a href=?n=100>100</a>",
    "sizes": "<a href=?size=36>36</a> <a href=?size=37>37</a> <a href=?size=38>38</a> <a href=?size=39>39</a>",
    "notes": "<a href=#n1>1</a> <a href=#n2>2</a> <a href=#n3>3</a> <a href=#n4>4</a>",
    "same address": "<a href=/all>1</a> <a href=/all>2</a> <a href=/all>3</a>",
    "other addresses": "<a href=/rust>1</a> <a href=/wheel>2</a> <a href=/corn>3</a> <a href=/flour>4</a>",
    "pictures of years": "<a href=/l1><img alt=2001></a> <a href=/l2><img alt=2002></a>",
    "words of their own": "<p><a href=/l/1><i>Mills</i> <b>1</b></a> <a href=/l/2><i>Rivers</i> <b>2</b></a></p>",
    "words of their own, white space": "<p><a href=/l/1>Mills"
    + " " * 50
    + "<b>1</b></a> <a href=/l/2>Rivers"
    + " " * 50
    + "<b>2</b></a></p>",
    "words after them": "<p><a href=/l/1><b>1</b> <i>mill</i></a> <a href=/l/2><b>2</b> <i>mill</i></a></p>",
    "one with words": "<p>1 <a href=/l/2><i>Mills</i> <b>2</b></a></p>",
    "tokens for words": "<a href=/oftherivers1>1</a> <a href=/ofthewheels2>2</a> <a href=/oftheflours3>3</a>",
    "days in a row": "".join(f"<a href=/d/{day}>{day}</a> " for day in range(1, 31)),
    "weeks": "<table>"
    + "".join(
        f"<tr>{''.join(f'<td><a href=/d/{day}>{day}</a></td>' for day in range(week, week + 7))}</tr>"
        for week in range(1, 29, 7)
    )
    + "</table>",
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
@pytest.mark.parametrize("strategy", ["auto", "aggressive", "tps"])
def test_page_numbers_stay_in_what_goes(row: str, strategy: str) -> None:
    result = prune(listing_above(row), settings={"TPS_MIN_NODES": 0, "TPS_STRATEGY": strategy})
    links = len(prune(f"<body>{row}").root.xpath("//a"))
    assert len(result.root.xpath("//footer//a")) == links
    if strategy != "tps":
        assert "Imprint" not in result.html


@pytest.mark.parametrize("row", OTHERS.values(), ids=OTHERS)
def test_other_numbers_go(row: str) -> None:
    assert not prune(listing_above(row)).root.xpath("//footer//a")


def test_the_arrow_beside_a_list_of_numbers_stays() -> None:
    row = "<ul><li><a href=/l>1</a></li><li><a href=/l/2>2</a></li></ul><a href=/l/2>Onwards</a>"
    assert "Onwards" in prune(listing_above(row)).html


def test_of_equal_rows_the_last_stays() -> None:
    row = ROWS["bold"]
    html = listing_above(row).replace("<nav", f"<header><div>{row}</div></header><nav", 1)
    root = prune(html).root
    assert not root.xpath("//header//a")
    assert len(root.xpath("//footer//a")) == 4


def test_numbers_in_a_larger_part_stay_with_their_arrows_alone() -> None:
    words = "".join(f"<p>{SENTENCE}</p>" for _ in range(9))
    root = prune(
        listing_above(
            f"{words}<a href=/1>«</a><a href=/l/1>1</a><a href=/l/2>2</a><a href=/l/3>Next</a>{words}"
        )
    ).root
    assert root.xpath("//footer//a/text()") == ["«", "1", "2", "Next"]
    assert not root.xpath("//footer//p")


def test_the_account_says_why() -> None:
    kept = [
        region
        for region in prune(listing_above(ROWS["bold"])).regions
        if region.kept and region.rule == "pages"
    ]
    assert len(kept) == 1
    assert "page numbers" in kept[0].reason
    assert kept[0].xpath.endswith("/footer/div")
