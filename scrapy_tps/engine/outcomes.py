"""Outcomes of a page: pruned, or why it was not pruned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

PRUNED = "pruned"
NO_REGION = "no_region"
AMBIGUOUS = "ambiguous"
EXCLUDED = "excluded"
TOO_SMALL = "too_small"
TOO_LARGE = "too_large"
TOO_DEEP = "too_deep"
EMPTY = "empty"
NOT_HTML = "not_html"
NO_BODY = "no_body"
ERROR = "error"

#: All outcomes, in words for people.
OUTCOMES: Final[Mapping[str, str]] = {
    PRUNED: "parts were removed",
    NO_REGION: "nothing in it could be removed",
    AMBIGUOUS: "only headings and similar parts would have stayed",
    EXCLUDED: "it is excluded by its status or by settings",
    TOO_SMALL: "it has fewer nodes than TPS_MIN_NODES",
    TOO_LARGE: "it has more bytes than TPS_MAX_BYTES, or more than a million nodes",
    TOO_DEEP: "it has more levels than the parser can hold",
    EMPTY: "it is empty",
    NOT_HTML: "it is not an HTML page",
    NO_BODY: "it has no body",
    ERROR: "pruning it failed",
}
