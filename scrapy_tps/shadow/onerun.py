"""The losses that a pruned page would have caused, worked out from one run of the callback on the original."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin

from w3lib.url import safe_url_string

from scrapy_tps.shadow.comparison import Change, Difference, values
from scrapy_tps.shadow.forms import REQUEST, Form
from scrapy_tps.shadow.noting import collapsed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_tps.shadow.comparison import Ignored
    from scrapy_tps.shadow.noting import Notes

#: Values of a page that are looked up; those of further outputs count as given.
MOST_VALUES: Final = 5000
#: Characters of a text that may be recognised as a piece of a value, and of a value as a piece of a text.
_SHORTEST_TEXT: Final = 4
_SHORTEST_VALUE: Final = 2
_NUMBER: Final = re.compile(r"\d(?:[\d.,]*\d)?")


class Readings:
    """Which values come from what the pruned page would not have given."""

    def __init__(self, notes: Notes, base_url: str) -> None:
        self._given = notes.given
        self._missing = {text: None for text in notes.missing if text and text not in notes.given}
        self._all_given = "\n".join(notes.given)
        self._all_missing = "\n".join(self._missing)
        self._pieces = [text for text in self._missing if len(text) >= _SHORTEST_TEXT]
        self._addresses = _addresses(self._missing, base_url) - _addresses(notes.given, base_url)
        self._left = MOST_VALUES

    def is_missing(self, value: Any) -> bool:
        """Whether a value was read from what the pruned page would not have given, and from nothing else."""
        if not self._missing or self._left <= 0 or value is None or isinstance(value, bool):
            return False
        self._left -= 1
        text = collapsed(str(value))
        if text in self._given:
            return False
        if text in self._missing or text in self._addresses:
            return True
        if isinstance(value, (int, float)):
            return _holds(self._all_missing, float(value)) and not _holds(self._all_given, float(value))
        if len(text) < _SHORTEST_VALUE or text in self._all_given:
            return False
        return text in self._all_missing or any(piece in text for piece in self._pieces)

    def is_given(self, value: Any) -> bool:
        """Whether the pruned page would have given a value."""
        text = collapsed(str(value))
        return len(text) >= _SHORTEST_VALUE and text in self._all_given and not self.is_missing(value)


def difference(
    outputs: Iterable[Form], notes: Notes, base_url: str, ignored: Ignored = frozenset()
) -> Difference:
    """Return what of the outputs of the whole page the pruned page would have lost.

    An output of which no value would have been given is lost; one of which some would have is changed.

    :param ignored: (kind, field) pairs that are not compared.
    """
    readings = Readings(notes, base_url)
    found = Difference()
    requests: set[str | None] = set()
    for form in outputs:
        if form.kind == REQUEST:
            if form.identity not in requests:
                requests.add(form.identity)
                found.requests += 1
                _look_at_request(form, readings, found)
            continue
        found.items += 1
        fields = {name: value for name, value in form.fields.items() if not _is_ignored(form, name, ignored)}
        names = tuple(name for name, value in fields.items() if any(map(readings.is_missing, values(value))))
        if not names:
            continue
        rest = (value for name in fields if name not in names for value in values(fields[name]))
        if any(map(readings.is_given, rest)):
            found.changed.append(Change(form, _without(form, names), names))
        else:
            found.lost.append(form)
    return found


def _look_at_request(form: Form, readings: Readings, found: Difference) -> None:
    names = tuple(
        name
        for name, value in form.fields.items()
        if (name == "url" or name.startswith("cb_kwargs.")) and any(map(readings.is_missing, values(value)))
    )
    if "url" in names:
        found.lost_requests.append(form)
    elif names:
        found.changed_requests.append(Change(form, _without(form, names), names))


def _without(form: Form, names: Sequence[str]) -> Form:
    return replace(form, fields=form.fields | dict.fromkeys(names))


def _is_ignored(form: Form, name: str, ignored: Ignored) -> bool:
    return (form.kind, name) in ignored or ("", name) in ignored


def _addresses(texts: Iterable[str], base_url: str) -> set[str]:
    found = set()
    for text in texts:
        if text and " " not in text and len(text) < 2000:
            try:
                found.add(safe_url_string(urljoin(base_url, text)))
            except ValueError:  # no address
                continue
    return found


def _holds(texts: str, number: float) -> bool:
    plain = (one.replace(",", "") for one in _NUMBER.findall(texts))
    return any(one.count(".") < 2 and float(one) == number for one in plain)
