"""Style of a hostile page, as it may be shown: what fetches goes, what only looks stays.

The text is taken apart by a tokenizer after the CSS Syntax standard (``tinycss2``), which browsers follow, too, and
written anew from its tokens. An escaped name (``\\75rl(``), a comment in the middle or a bracket in a string is
therefore what it is to the browser. Only at-rules and functions that are known to fetch nothing stay, so one
that nobody has thought of yet goes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.report.selfcontained import load_extra

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_AT_RULE_NAMES: Final = """
    media supports layer container scope starting-style font-face keyframes -webkit-keyframes -moz-keyframes
    -o-keyframes page counter-style property font-feature-values font-palette-values
"""
_AT_RULES: Final = frozenset(_AT_RULE_NAMES.split())
_FUNCTION_NAMES: Final = """
    var env attr calc calc-size min max clamp round mod rem sin cos tan asin acos atan atan2 pow sqrt hypot log exp
    abs sign rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark device-cmyk contrast-color
    linear-gradient radial-gradient conic-gradient repeating-linear-gradient repeating-radial-gradient
    repeating-conic-gradient -webkit-gradient -webkit-linear-gradient -webkit-radial-gradient
    -webkit-repeating-linear-gradient -webkit-repeating-radial-gradient -moz-linear-gradient -moz-radial-gradient
    -o-linear-gradient from to color-stop matrix matrix3d translate translatex translatey translatez translate3d
    rotate rotatex rotatey rotatez rotate3d scale scalex scaley scalez scale3d skew skewx skewy perspective blur
    brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia circle ellipse inset polygon
    path rect xywh shape ray cubic-bezier steps linear counter counters symbols leader target-counter format tech
    local minmax repeat fit-content not is where has matches any -webkit-any -moz-any nth-child nth-last-child
    nth-of-type nth-last-of-type nth-col nth-last-col lang dir host host-context slotted part cue state selector
    style scroll-state alpha supports layer anchor anchor-size
"""
_FUNCTIONS: Final = frozenset(_FUNCTION_NAMES.split())
_DATA: Final = re.compile(
    r"data:(?:image/(?:png|jpe?g|gif|webp|avif|bmp|x-icon|svg\+xml)|(?:application/(?:x-)?)?font[/-][a-z0-9.+-]+)[;,]",
    re.IGNORECASE,
)
_ADDRESS_FUNCTIONS: Final = frozenset({"url", "src"})

#: Blocks and functions inside one another; what is deeper goes. The deepest of real style sheets have about 10.
_MOST_NESTED: Final = 40

# The frame is as high as its page, so lengths by the window's height would feed back on themselves.
_PIXELS_PER_UNIT: Final = {
    prefix + unit: pixels
    for prefix in ("", "s", "l", "d")
    for unit, pixels in (("vh", 8), ("vb", 8), ("vmax", 12))
}


def clean_css(css: str, network: bool = False) -> str:
    """Return a style sheet, the content of a ``style`` attribute, or a value, as it may be shown.

    :param network: whether images, style sheets and fonts may be fetched: then all addresses stay, and only
        lengths by the window's height become pixels.
    :raises MissingExtra: without tinycss2 (``pip install scrapy-tps[report]``).
    """
    tinycss2 = load_extra("tinycss2")
    try:
        tokens = tinycss2.parse_component_value_list(css, skip_comments=True)
    except ValueError:  # a number of more than 4,300 digits, which Python does not read
        return ""
    written: str = tinycss2.serialize(list(_cleaned(tokens, network, 0, tinycss2.ast)))
    return written


def _cleaned(tokens: Sequence[Any], network: bool, depth: int, ast: Any) -> Iterator[Any]:
    skipping = False  # an at-rule, up to its block or semicolon
    for token in tokens:
        kind = token.type
        if skipping:
            skipping = kind != "{} block" and token != ";"
        elif kind == "error":
            continue  # browsers leave it out, too
        elif kind == "at-keyword":
            skipping = not network and token.lower_value not in _AT_RULES
            if not skipping:
                yield token
        elif kind == "dimension" and token.lower_unit in _PIXELS_PER_UNIT:
            pixels = token.value * _PIXELS_PER_UNIT[token.lower_unit]
            text = f"{pixels:g}"
            yield ast.DimensionToken(token.source_line, token.source_column, pixels, None, text, "px")
        elif kind == "url":
            yield token if network or _is_harmless(token.value) else _none(token, ast)
        elif kind == "function":
            if network or _function_stays(token):
                token.arguments = _within(token.arguments, network, depth, ast)
                yield token
            else:
                yield _none(token, ast)
        elif hasattr(token, "content"):  # a block in brackets of any kind
            token.content = _within(token.content, network, depth, ast)
            yield token
        else:
            yield token


def _within(tokens: Sequence[Any], network: bool, depth: int, ast: Any) -> list[Any]:
    return list(_cleaned(tokens, network, depth + 1, ast)) if depth < _MOST_NESTED else []


def _function_stays(function: Any) -> bool:
    name = function.lower_name
    if name not in _ADDRESS_FUNCTIONS:
        return name in _FUNCTIONS
    inside = [token for token in function.arguments if token.type not in ("whitespace", "comment")]
    return len(inside) == 1 and inside[0].type == "string" and _is_harmless(inside[0].value)


def _is_harmless(address: str) -> bool:
    """Whether an address is of the page itself, or an image or a font in the address."""
    return address.startswith("#") or _DATA.match(address) is not None


def _none(token: Any, ast: Any) -> Any:
    return ast.IdentToken(token.source_line, token.source_column, "none")
