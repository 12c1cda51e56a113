"""Pages made to be expensive: each of about as many nodes as asked for."""

from __future__ import annotations


def hostile_pages(nodes: int) -> dict[str, str]:
    """Return pages by name; markup that makes careless passes quadratic."""
    depth = 1000
    towers = max(1, nodes // (2 * depth))
    half = nodes // 2
    return {
        "nested": _page(("<div>" * depth + "text" + "</div>" * depth) * (2 * towers)),
        "nested, each of its own class": _page(
            "".join(
                "".join(f"<div class=c{tower}-{level}>" for level in range(depth)) + "text" + "</div>" * depth
                for tower in range(2 * towers)
            )
        ),
        "all distinct": _page("".join(f"<p class=c{number}>text</p>" for number in range(half))),
        "pairs": _page("".join(f"<p class=c{number // 2}>text</p>" for number in range(half))),
        "chain of pairs": _page(
            "".join(
                f"<p class=c{number}>a</p><p class=c{max(0, number - 1)}>b</p>"
                for number in range(nodes // 4)
            )
        ),
        "one class": _page("<p class=c>text</p>" * half),
        "siblings without text": _page("<br>" * nodes),
        "comments": _page("text<!-- c -->" * nodes),
        "texts between dialogs": _page("text<dialog>x</dialog>" * (nodes // 3)),
        "texts between drawings": _page("text<svg></svg>" * half),
        "links": _page("<a href=/>text</a> " * half),
        "lists of links": _page(("<ul>" + "<li><a href=/>text</a>" * 5 + "</ul>") * (nodes // 16)),
        "records": _page("<div class=r><h2><a href=/>Name</a></h2><p>About it</p></div>" * (nodes // 7)),
        "boilerplate": _page("<nav><a href=/>x</a></nav><div class=footer><b>y</b></div>" * (nodes // 6)),
        "named parts": _page(
            "".join(
                f"<div>{f'<div class={name}><h2>A</h2>b</div>' * (nodes // 24)}</div>"
                for name in ("promo", "modal", "sidebar", "footer", "card-footer", "cookie")
            )
        ),
        "forms": _page("<form><input type=hidden><select><option>a</select></form>x" * (nodes // 7)),
        "references": _page(
            "<main><h1>Shop</h1>"
            + "".join(
                f"<div itemscope itemref=x{number}><p>Solid oak, warranty of two years</p></div>"
                for number in range(nodes // 6)
            )
            + "</main><aside class=sidebar>"
            + "".join(f"<p class=ad id=x{number}>date</p>" for number in range(nodes // 6))
            + "</aside>"
        ),
        "hidden next to shown": _page(
            "".join(
                f"<div class=hidden>a</div><div class='b c{number}'>d</div>"
                "<ul class=hidden><li><b>a</b><b>b</b><li><b>a</b><b>b</b><li><b>a</b><b>b</b></ul>"
                "<ul><li><b>a</b><b>b</b><li><b>a</b><b>b</b></ul>"
                for number in range(nodes // 36)
            )
        ),
        "hidden, each of its own tag": _page(
            "<p>a</p>" + "".join(f"<x-{number} class='hidden b'>text</x-{number}>" for number in range(half))
        ),
        "types without end": _page(
            "<script type=application/ld+json>" + '"@type":[' * nodes + "</script>text"
        ),
        "each of its own type": _page(
            "<script type=application/ld+json>["
            + ",".join(f'{{"@type": "Kind{number}"}}' for number in range(half // 2))
            + "]</script>"
            + "".join(
                f"<p itemscope itemtype=http://a.example/Kind{number}>text</p>" for number in range(half // 2)
            )
        ),
        "scripts": _page("<p>a</p><script>var a = [1]</script>" * half),
    }


def _page(body: str) -> str:
    return f"<html><head><title>t</title></head><body><p>start</p>{body}<p>end</p></body></html>"
