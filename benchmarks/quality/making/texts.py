"""Contents that are texts or single things; their blocks are labelled as records are."""

from __future__ import annotations

from random import Random

from .page import Content
from .text import PEOPLE, PLACES, day, hashed, paragraph, phrase, price, sentence, title


def article(r: Random, paragraphs: int = 9, *, boxes: bool = False) -> Content:
    """An article with headings, a picture and a quotation; on request cut by boxes."""
    head, records, go, parts = title(r), [], [], []
    for n in range(paragraphs):
        text = paragraph(r, r.randrange(2, 6))
        records.append([text])
        parts.append(f"<p>{text}</p>")
        if n == 2:
            parts.append(
                f'<figure><img src="/{hashed(r)}.jpg" alt=""><figcaption>Picture: {r.choice(PEOPLE)}</figcaption></figure>'
            )
        if n == 4:
            parts.append(f"<h2>{phrase(r)}</h2>")
        if boxes and n % 3 == 1:
            go.append(sentence(r))
            parts.append(
                f'<aside class="related-box"><h4>Read on</h4><p>{go[-1]}</p><ul><li><a href="/a">{title(r)}</a></li></ul></aside>'
            )
    html = (
        f'<article class="post hentry"><header class="entry-header"><h1 class="entry-title">{head}</h1><p class="byline">{r.choice(PEOPLE)}, {day(r)}</p></header>'
        f'<div class="entry-content">{"".join(parts)}</div></article>'
    )
    return Content(head, html, "//div[@class='entry-content']/p", records, [head], go, kind="article")


def plain_text(r: Random, paragraphs: int = 10) -> Content:
    """A text without paragraph elements: line breaks in a cell; the cell's text is one block."""
    head = title(r)
    texts = [paragraph(r, 3) for _ in range(paragraphs)]
    html = f'<font size="5">{head}</font><div align="justify">{"<br><br>".join(texts)}</div>'
    return Content(head, html, "//div[@align='justify']", [texts], [head], kind="article")


def product(r: Random) -> Content:
    """One product: description, hidden tabs with the technical data, related products."""
    name, cost, texts = title(r), price(r), [paragraph(r, 3) for _ in range(3)]
    data = [(phrase(r), f"{r.randrange(2, 900)} mm") for _ in range(12)]
    rows = "".join(f"<tr><th>{key}</th><td>{value}</td></tr>" for key, value in data)
    related = [phrase(r) for _ in range(8)]
    cards = "".join(
        f'<div class="rel-card"><a href="/p/{hashed(r)}"><img src="/{n}.jpg" alt=""><span>{text}</span></a><b>{price(r)}</b></div>'
        for n, text in enumerate(related)
    )
    html = (
        f'<div class="product-page"><div class="gallery"><img src="/1.jpg" alt=""><img src="/2.jpg" alt=""></div><div class="summary"><h1>{name}</h1><p class="price">{cost}</p>'
        f'<form method="post" action="/cart"><input type="hidden" name="csrf" value="{hashed(r)}"><input name="qty" value="1"><button>Add to basket</button></form>'
        f'<div class="description">{"".join(f"<p>{text}</p>" for text in texts)}</div></div>'
        f'<div class="tabs"><div role="tabpanel" class="tab-pane" hidden><table class="specs">{rows}</table></div></div></div>'
        f'<div class="also"><h3>Customers also looked at</h3>{cards}</div>'
    )
    xpath = "//div[@class='description']/p | //table[@class='specs']//tr"
    return Content(
        name,
        html,
        xpath,
        [[text] for text in texts] + [list(pair) for pair in data],
        [name, cost],
        kind="product",
    )


def bare_product(r: Random) -> Content:
    """One product in little markup: a table of properties and a paragraph."""
    name, cost, text = title(r), price(r), paragraph(r, 5)
    rows = [(phrase(r), phrase(r)) for _ in range(9)]
    cells = "".join(f'<tr><td class="key">{key}</td><td>{value}</td></tr>' for key, value in rows)
    html = f'<h1>{name}</h1><div id="ctl00_price">{cost}</div><p id="ctl00_text">{text}</p><table class="properties">{cells}</table>'
    return Content(
        name,
        html,
        "//p[@id='ctl00_text'] | //table[@class='properties']/tr",
        [[text], *map(list, rows)],
        [name, cost],
        kind="product",
    )


def manual(r: Random) -> Content:
    """A page of documentation: sections, code, notes, a list of parameters."""
    head, records, parts = title(r), [], []
    for n in range(5):
        text, note = paragraph(r, 2), sentence(r)
        names = [(hashed(r, 5) + "_" + r.choice(("size", "path", "mode")), sentence(r)) for _ in range(3)]
        records += [[text], [hashed(Random(text), 12)], [note], *([key, value] for key, value in names)]
        listed = "".join(f"<li class='param'><code>{key}</code>: {value}</li>" for key, value in names)
        parts.append(
            f'<section id="s{n}"><h2>{phrase(r)}<a class="headerlink" href="#s{n}">¶</a></h2><p class="text">{text}</p><div class="highlight"><pre>{hashed(Random(text), 12)} --{hashed(r, 4)}</pre></div>'
            f'<div class="admonition note"><p>{note}</p></div><ul>{listed}</ul></section>'
        )
    contents = "".join(f'<li class="toctree-l1"><a href="/{n}.html">{phrase(r)}</a></li>' for n in range(60))
    html = (
        f'<div class="sphinxsidebar" role="navigation"><h3>Contents</h3><ul>{contents}</ul></div><div class="document"><div class="body" role="main"><h1>{head}</h1>{"".join(parts)}</div></div>'
        f'<div class="related"><a href="/prev.html">previous</a> | <a href="/next.html">next</a></div>'
    )
    xpath = "//section/p[@class='text'] | //section//pre | //section//div[@class='admonition note']/p | //li[@class='param']"
    return Content(head, html, xpath, records, [head], kind="documentation")


def landing(r: Random) -> Content:
    """A landing page: hero in a header element, features, prices, voices, questions."""
    head, claim = title(r), sentence(r)
    features = [(phrase(r), sentence(r)) for _ in range(6)]
    plans = [(phrase(r), price(r), sentence(r)) for _ in range(3)]
    voices = [(sentence(r), r.choice(PEOPLE)) for _ in range(3)]
    questions = [(phrase(r) + "?", paragraph(r, 2)) for _ in range(5)]
    html = (
        f'<header class="hero"><h1>{head}</h1><p class="claim">{claim}</p><a class="btn" href="/start">Start for nothing</a></header>'
        f'<section class="features">{"".join(f"<div class=feature><i class=icon></i><h3>{name}</h3><p>{text}</p></div>" for name, text in features)}</section>'
        f'<section class="plans">{"".join(f"<div class=plan><h3>{name}</h3><b>{cost}</b><p>{text}</p><a href=/buy>Choose</a></div>" for name, cost, text in plans)}</section>'
        f'<section class="voices">{"".join(f"<blockquote class=voice><p>{text}</p><cite>{who}</cite></blockquote>" for text, who in voices)}</section>'
        f'<section class="faq">{"".join(f"<details class=question><summary>{ask}</summary><p>{answer}</p></details>" for ask, answer in questions)}</section>'
    )
    xpath = "//div[@class='feature'] | //div[@class='plan'] | //blockquote | //details"
    records = [*map(list, features), *map(list, plans), *map(list, voices), *map(list, questions)]
    return Content(head, html, xpath, records, [head, claim], kind="service")


def nothing_found(r: Random) -> Content:
    """A search without results, with hints and popular articles instead."""
    message = f"Nothing was found for “{phrase(r).lower()}”"
    popular = "".join(f'<li><a href="/p/{hashed(r)}">{title(r)}</a> <b>{price(r)}</b></li>' for _ in range(6))
    hint = sentence(r)
    html = f'<h1>{message}</h1><p class="hint">{hint}</p><div class="popular"><h2>Others looked for</h2><ul>{popular}</ul></div>'
    return Content("Search", html, "//p[@class='hint']", [[hint]], [message], kind="no results")


def streamed(r: Random) -> Content:
    """What a server streams for React: a fallback in place, the content in a hidden element below."""
    inner = article(r, 7)
    html = (
        f'<div class="shell"><!--$?--><template id="B:0"></template><p class="spinner">Loading</p><!--/$--></div>'
        f'<div hidden id="S:0">{inner.html}</div><script>$RC("B:0","S:0")</script>'
    )
    return Content(inner.title, html, inner.xpath, inner.records, inner.stay, [], kind="article")


def encyclopedia(r: Random) -> Content:
    """An encyclopedia's article: infobox, contents, sections with edit links, references, boxes of links."""
    head, records, parts = title(r), [], []
    for n in range(6):
        text = paragraph(r, 5)
        records.append([text])
        parts.append(
            f'<h2><span class="mw-headline" id="h{n}">{phrase(r)}</span><span class="mw-editsection">[<a href="/edit">edit</a>]</span></h2><p class="para">{text}</p>'
        )
    box = [(phrase(r), phrase(r)) for _ in range(8)]
    records_box = [[key, value] for key, value in box]
    references = [
        f"{r.choice(PEOPLE)}: {title(r)}, {r.choice(PLACES)} {r.randrange(1890, 2024)}." for _ in range(14)
    ]
    links = "".join(f'<li><a href="/wiki/{hashed(r)}">{phrase(r)}</a></li>' for _ in range(70))
    rows = "".join(f'<tr class="fact"><th>{key}</th><td>{value}</td></tr>' for key, value in box)
    html = (
        f'<h1 id="firstHeading">{head}</h1><div class="mw-parser-output"><table class="infobox"><tbody>{rows}</tbody></table>{"".join(parts)}'
        f'<ol class="references">{"".join(f"<li class=reference>{text}</li>" for text in references)}</ol><div class="navbox" role="navigation"><ul>{links}</ul></div></div>'
    )
    xpath = "//tr[@class='fact'] | //p[@class='para'] | //li[@class='reference']"
    return Content(
        head, html, xpath, [*records_box, *records, *([text] for text in references)], [head], kind="article"
    )


def recipe(r: Random) -> Content:
    """A long story, then ingredients as a list and steps as another."""
    head, story = title(r), [paragraph(r, 3) for _ in range(4)]
    needs, steps = (
        [f"{r.randrange(1, 900)} g {phrase(r).lower()}" for _ in range(9)],
        [sentence(r) for _ in range(7)],
    )
    html = (
        f'<article class="recipe"><h1>{head}</h1>{"".join(f"<p class=story>{text}</p>" for text in story)}<button onclick="print()">Print</button>'
        f'<div class="needs"><h2>Ingredients</h2><ul>{"".join(f"<li><label><input type=checkbox> {text}</label></li>" for text in needs)}</ul></div>'
        f'<div class="steps"><h2>Method</h2><ol>{"".join(f"<li>{text}</li>" for text in steps)}</ol></div></article>'
    )
    xpath = "//p[@class='story'] | //div[@class='needs']//li | //div[@class='steps']//li"
    return Content(
        head,
        html,
        xpath,
        [[text] for text in (*story, *needs, *steps)],
        [head, "Ingredients", "Method"],
        kind="article",
    )


def modal_content(r: Random) -> Content:
    """A gallery; the descriptions of the pictures are in dialogs that open on a click."""
    head, records, tiles, dialogs = title(r), [], [], []
    for n in range(9):
        name, text = title(r), paragraph(r, 3)
        records.append([name, text])
        tiles.append(f'<a class="tile" href="#work-{n}"><img src="/w/{n}.jpg" alt=""></a>')
        dialogs.append(
            f'<div class="modal work" id="work-{n}" role="dialog" aria-hidden="true"><h3>{name}</h3><p>{text}</p></div>'
        )
    html = f'<h1>{head}</h1><div class="tiles">{"".join(tiles)}</div>{"".join(dialogs)}'
    return Content(head, html, "//div[@class='modal work']", records, [head], kind="product")


def contact(r: Random) -> Content:
    """A page whose content is a form with a few lines above it."""
    head, text = title(r), paragraph(r, 2)
    address = f"{r.randrange(1, 90)} Mill Lane, {r.choice(PLACES)}"
    html = (
        f'<h1>{head}</h1><p class="intro">{text}</p><address>{address}</address><form method="post" action="/contact"><input type="hidden" name="token" value="{hashed(r)}">'
        f'<label>Name <input name="name"></label><label>Message <textarea name="message"></textarea></label><button>Send the message</button></form>'
    )
    return Content(head, html, "//p[@class='intro'] | //address", [[text], [address]], [head], kind="service")
