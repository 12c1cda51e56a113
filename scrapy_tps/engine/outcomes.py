"""Outcomes of a page: pruned, or why it was kept whole."""

from __future__ import annotations

from typing import Final

#: Outcome of a page that lost something.
PRUNED = "pruned"
#: Outcome of a page in which nothing was found that could go.
NO_REGION = "no_region"
#: Outcome of a page whose evidence is too weak to remove anything.
AMBIGUOUS = "ambiguous"
#: Outcome of a page that is switched off, for its status code, domain or request, or altogether.
EXCLUDED = "excluded"
#: Outcome of a page whose sequence has fewer nodes than ``TPS_MIN_NODES``.
TOO_SMALL = "too_small"
#: Outcome of a page with a larger body than ``TPS_MAX_BYTES``, or more than a million nodes.
TOO_LARGE = "too_large"
#: Outcome of a page with more levels than the parser keeps.
TOO_DEEP = "too_deep"
#: Outcome of a page without characters.
EMPTY = "empty"
#: Outcome of a page that is something else, whatever its content type says.
NOT_HTML = "not_html"
#: Outcome of a page without a ``body`` element (framesets).
NO_BODY = "no_body"
#: Outcome of a page that could not be pruned.
ERROR = "error"

#: All that a page can come to.
OUTCOMES: Final = (
    PRUNED,
    NO_REGION,
    AMBIGUOUS,
    EXCLUDED,
    TOO_SMALL,
    TOO_LARGE,
    TOO_DEEP,
    EMPTY,
    NOT_HTML,
    NO_BODY,
    ERROR,
)
