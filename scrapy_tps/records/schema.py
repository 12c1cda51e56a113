"""One set of columns for all pages of a site."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_tps.records.model import Column

#: Pages of a site that may still add columns.
FIRST_PAGES: Final = 3
MAX_COLUMNS: Final = 200


@dataclass(slots=True)
class SiteSchema:
    """The columns of a site, in the order in which they were first seen.

    :ivar pages: pages that were aligned with it.
    """

    columns: dict[str, Column] = field(default_factory=dict)
    pages: int = 0

    def align(self, columns: Sequence[Column]) -> tuple[dict[str, str], list[str]]:
        """Align a page's columns with the site's; the first pages add theirs.

        A column corresponds to the column of the site with the same path and name, otherwise to that with the same
        name, otherwise to that with the same tags, a class in common, and the same type. Returns a dict from page name
        to site name for the columns that have one, and the names of the others.
        """
        free = dict(self.columns)
        found: dict[str, str] = {}
        for same in (_same_place, _same_name, _same_tags):
            for column in columns:
                if column.name not in found:
                    site = next((name for name, other in free.items() if same(column, other)), None)
                    if site is not None:
                        found[column.name] = site
                        del free[site]
        unknown = []
        for column in columns:
            if column.name in found:
                continue
            if self.pages < FIRST_PAGES and len(self.columns) < MAX_COLUMNS:
                name = column.name
                while name in self.columns:
                    name += "_"
                self.columns[name] = column
                found[column.name] = name
            else:
                unknown.append(column.name)
        self.pages += 1
        return found, unknown


def _same_place(one: Column, other: Column) -> bool:
    return one.attribute == other.attribute and one.path == other.path and one.name == other.name


def _same_name(one: Column, other: Column) -> bool:
    return one.name == other.name and one.attribute == other.attribute


def _same_tags(one: Column, other: Column) -> bool:
    if one.attribute != other.attribute or one.type != other.type or len(one.path) != len(other.path):
        return False
    steps = zip(one.path, other.path, strict=True)
    return bool(one.path) and all(
        tag == tag_ and _share(names, names_) for (tag, names), (tag_, names_) in steps
    )


def _share(one: str, other: str) -> bool:
    """Whether two class attributes have a name in common, or neither has any."""
    return one == other or not set(one.split()).isdisjoint(other.split())
