"""The types of the values of a column: url, image, price, date, number or text.

Prices and dates are recognised by ``price-parser`` and ``dateparser`` if those are installed (the extra ``records``);
without them such columns are numbers or text. Dates in digits and in English are recognised without a parser;
``dateparser``, which takes milliseconds, is asked only about the others.
"""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

#: Values of a column that are looked at.
SAMPLE: Final = 8
#: Share of them that must be of a type.
MAJORITY: Final = 0.75
_LONGEST: Final = 40  # characters of a price, date or number with what stands around it

_NUMBER = re.compile(r"^[^\w]{0,3}\d[\d\s.,]*[^\w]{0,3}$")
# ISO 8601, 31.12.2020, 12/31/20, with or without a time of day
_NUMERIC_DATE = re.compile(
    r"^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2}))(?:[T,\s]+\d{1,2}:\d{2}\S*)?$"
)
_ENGLISH_DATE = re.compile(
    r"^\W*(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\s+)?(?:\d{1,2}(?:st|nd|rd|th)?\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug"
    r"|sep|oct|nov|dec)[a-z]*\.?,?\s+(?:\d{1,2}(?:st|nd|rd|th)?,?\s+)?\d{2,4}\b|^\d+\s+(?:second|minute|hour|day|week|month|"
    r"year)s?\s+ago$",
    re.IGNORECASE,
)
# a word between numbers, or beside one: may be a date in another language
_MAYBE_DATE = re.compile(
    r"^\W*\d{1,2}\.?\s+(?:de\s+)?[^\W\d]{3,}\.?,?\s+(?:de\s+)?\d{2,4}\b|^[^\W\d]{3,}\.?\s+\d{1,2},?\s+\d{4}\b"
)
#: Without one of these price-parser finds no amount.
_AMOUNT = re.compile(r"\d|free", re.IGNORECASE)
_URL = re.compile(r"^(?:https?://|www\.)\S+$", re.IGNORECASE)


class TypeRecogniser:
    """Determines the types of columns with whatever libraries are installed.

    :param libraries: names of libraries to use, for tests; by default all that can be imported.
    """

    def __init__(self, libraries: Iterable[str] = ("price_parser", "dateparser")) -> None:
        modules = {name: _module(name) for name in libraries}
        price, date = modules.get("price_parser"), modules.get("dateparser")
        self._is_price: Callable[[str], bool] | None = _price_check(price) if price is not None else None
        self._is_date: Callable[[str], bool] | None = _date_check(date) if date is not None else None

    def type_of(self, values: Iterable[str | None], attribute: str | None) -> str:
        """Return the type of a column.

        :param attribute: the attribute that the values come from: ``href`` is a url, ``src`` an image.
        """
        if attribute is not None:
            return "image" if attribute == "src" else "url"
        sample = list(dict.fromkeys(value for value in values if value))[:SAMPLE]
        if not sample:
            return "text"
        checks = (
            ("url", _URL.match),
            ("price", self._is_price),
            ("number", _NUMBER.match),
            ("date", self._is_date),
        )
        for name, check in checks:
            if check is not None and self._most(sample, check):
                return name
        return "text"

    @staticmethod
    def _most(sample: list[str], check: Callable[[str], Any]) -> bool:
        misses_allowed = len(sample) - MAJORITY * len(sample)
        misses = 0
        for value in sample:
            if not (check(value) if len(value) <= _LONGEST or check == _URL.match else False):
                misses += 1
                if misses > misses_allowed:
                    return False
        return True


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _price_check(library: Any) -> Callable[[str], bool]:
    def is_price(value: str) -> bool:
        if not _AMOUNT.search(value):
            return False  # asking the library takes ten times as long
        price = library.Price.fromstring(value)
        return price.amount is not None and price.currency is not None

    return is_price


def _date_check(library: Any) -> Callable[[str], bool]:
    known: dict[str, bool] = {}  # dateparser takes milliseconds: it is asked once for each shape of value

    def is_date(value: str) -> bool:
        if _NUMERIC_DATE.match(value) or _ENGLISH_DATE.match(value):
            return True
        if not _MAYBE_DATE.match(value):
            return False
        words = re.sub(r"\d+", "0", value)
        if words not in known:
            known[words] = library.parse(value) is not None
        return known[words]

    return is_date
