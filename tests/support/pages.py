"""Pages for property tests: markup of records, boilerplate, exotic nodes and plain mistakes."""

from __future__ import annotations

from hypothesis import strategies as st

_TAGS = (
    "div",
    "p",
    "span",
    "a",
    "ul",
    "li",
    "table",
    "tr",
    "td",
    "b",
    "h1",
    "form",
    "select",
    "option",
    "o:p",
)
_VOID = ("br", "img", "input type=hidden name=token", "input name=q", "input type=password form=f", "hr")
_HIDDEN = (
    "<script>if (a < b) {}</script>",
    '<script type="application/ld+json">{"a": 1}</script>',
    "<style>p {}</style>",
    "<noscript><p>no script</p></noscript>",
    "<template><p>inert</p></template>",
    "<!-- comment -->",
    "<?pi?>",
)
_ATTRIBUTES = ("", "", " class=a", " class='b c'", " style='color: red'", " id=f", " class=a style=x")
_TEXTS = (
    "text",
    " ",
    "\n",
    "&nbsp;",
    "a b",
    "ü",
    "漢字",
    "\u2003",
    "&amp;",
    "&#0;",
    "x\x00y",
    "<",
    "&bogus;",
    "\u200b",
)

_element = st.tuples(st.sampled_from(_TAGS), st.sampled_from(_ATTRIBUTES))
_leaf = st.one_of(
    st.sampled_from(_TEXTS),
    st.sampled_from(_TEXTS),
    st.sampled_from(_VOID).map(lambda tag: f"<{tag}>"),
    st.sampled_from(_HIDDEN),
    st.text(max_size=6),
)


def _wrap(children: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    inside = st.lists(children, max_size=6).map("".join)
    whole = st.tuples(_element, inside).map(
        lambda pair: f"<{pair[0][0]}{pair[0][1]}>{pair[1]}</{pair[0][0]}>"
    )
    repeated = st.tuples(whole, st.integers(2, 5)).map(lambda pair: pair[0] * pair[1])
    unclosed = st.tuples(_element, inside).map(lambda pair: f"<{pair[0][0]}{pair[0][1]}>{pair[1]}")
    return st.one_of(whole, repeated, unclosed)


_fragment = st.recursive(_leaf, _wrap, max_leaves=25)
_SHELLS = (
    "<!DOCTYPE html><html><head><title>t</title><meta name=a><script>s</script></head><body>{}</body></html>",
    "<html><head><base href=/x/><x-a>odd</x-a></head><body class=page>{}</body></html>",
    "<body>{}</body></html><html><body>second</body></html>",
    "{}",
    "<html><body>{}</body>behind</html>",
    "<!-- before --><!DOCTYPE html>{}<!-- after -->",
    "<body><!-- x -->{}<body class=again>",
)


@st.composite
def markup(draw: st.DrawFn) -> str:
    """Draw the text of a page."""
    parts = draw(st.lists(_fragment, min_size=1, max_size=6))
    return draw(st.sampled_from(_SHELLS)).replace("{}", "".join(parts))


def listing(records: int = 12) -> str:
    """Return a page with a menu, records of one kind and a footer."""
    menu = "".join(f"<li><a href=/menu/{number}>Topic {number}</a></li>" for number in range(10))
    items = "".join(
        f"<li class=item><h2><a href=/p/{number}>Product {number}</a></h2><p class=price>{number}.50</p>"
        f"<p>About product {number}, <b>new</b></p><img src=/i/{number}.jpg></li>"
        for number in range(records)
    )
    footer = "".join(f"<p class=foot><a href=/f/{number}>Imprint {number}</a></p>" for number in range(6))
    return (
        "<!DOCTYPE html><html><head><title>Shop</title><script>go()</script></head><body>"
        f"<nav><ul class=menu>{menu}</ul></nav><main><h1>Lamps</h1><ul class=items>{items}</ul></main>"
        f"<footer>{footer}</footer></body></html>"
    )
