"""Labelled pages cut to their first records, as the last page of a listing has few.

Rules that count equal parts find none there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lxml import etree

from .measures import parsed, records_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .labels import LabelledPage

RECORDS = (1, 2, 3)


def pages_of_few(pages: Iterable[LabelledPage]) -> Iterator[LabelledPage]:
    """The pages with one, two and three of their records, as the set ``few``.

    Left out: pages without more records, those whose records are in several parents, and those on which the label
    selects something else without the other records.
    """
    for page in pages:
        for most in RECORDS:
            root = parsed(page.body.decode(page.encoding)).getroottree()
            records = root.xpath(page.xpath) if page.xpath else []
            if len(records) > most and len({record.getparent() for record in records}) == 1:
                for record in records[most:]:
                    record.drop_tree()
                body = etree.tostring(root, encoding="utf-8", method="html")
                few = replace(page, name=f"{page.name}-{most}", body=body, encoding="utf-8", set="few")
                if len(records_of(few)) == most:
                    yield few
