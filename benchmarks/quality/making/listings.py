"""Contents that are lists of records, in the ways that sites mark them up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .page import Content
from .text import PEOPLE, PLACES, day, hashed, paragraph, phrase, price, sentence, title

if TYPE_CHECKING:
    from random import Random


def _pages(r: Random, css: str = "pagination") -> tuple[str, str]:
    """A pagination and the text of its link to the next page."""
    following = r.choice(("Next page", "Older entries", "Show the next 20", "More results"))
    numbers = "".join(f'<li><a href="?page={n}">{n}</a></li>' for n in range(1, 7))
    return f'<ul class="{css}">{numbers}<li><a rel="next" href="?page=2">{following}</a></li></ul>', following


def grid(r: Random, count: int = 12, *, per_item: bool = False, ads: bool = False) -> Content:
    """Product cards; on request with classes, ids and styles of their own, and with advertisements between."""
    head, records, go, cards = title(r), [], [], []
    for n in range(count):
        name, cost, number = title(r), price(r), r.randrange(10000, 99999)
        records.append([name, cost])
        own = f' id="product-{number}" style="--hue:{number % 360}"' if per_item else ""
        css = f"card sku-{number} tone-{hashed(r, 4)}" if per_item else "card rounded border p-4"
        cards.append(
            f'<li class="{css}"{own}><a href="/p/{number}"><img src="/i/{number}.jpg" alt=""></a>'
            f'<h3 class="text-sm"><a href="/p/{number}">{name}</a></h3><p class="text-xs">{sentence(r)}</p>'
            f'<span class="font-bold">{cost}</span><ul class="swatches"><li>Oak</li><li>Ash</li></ul><button>Add</button></li>'
        )
        if ads and n % 4 == 2:
            go.append(sentence(r))
            cards.append(
                f'<li class="promo-{n}"><small>Advertisement</small><p>{go[-1]}</p><a href="http://ads.example/{n}">Look</a></li>'
            )
    pages, following = _pages(r)
    html = f'<h1 class="text-3xl">{head}</h1><p>{count} articles</p><ul class="grid grid-cols-3 gap-4">{"".join(cards)}</ul>{pages}'
    xpath = "//ul[contains(@class, 'grid grid-cols-3')]/li[.//button]"
    return Content(head, html, xpath, records, [head, following], go)


def div_cards(r: Random, count: int = 15) -> Content:
    """Cards of div and span only, every word with its utility classes."""
    head, records, cards = title(r), [], []
    for _ in range(count):
        name, cost, text = title(r), price(r), sentence(r)
        records.append([name, cost, text])
        cards.append(
            f'<div class="w-1/3 p-2"><div class="rounded shadow-{r.choice("sml")}g bg-white"><div class="h-40 bg-cover" style="background-image:url(/{hashed(r)}.jpg)"></div>'
            f'<div class="p-3"><div class="text-base font-medium mb-{r.randrange(1, 5)}"><a href="/{hashed(r)}">{name}</a></div><div class="text-sm text-gray-600">{text}</div>'
            f'<div class="mt-2 font-bold">{cost}</div></div></div></div>'
        )
    html = f'<div class="text-2xl mb-4">{head}</div><div class="flex flex-wrap -mx-2">{"".join(cards)}</div>'
    return Content(head, html, "//div[@class='w-1/3 p-2']", records, [head])


def table_rows(r: Random, count: int = 14) -> Content:
    """One table row per record, a nested table in each, no class anywhere."""
    head, records, rows = title(r), [], []
    for n in range(count):
        name, cost, text = title(r), price(r), sentence(r)
        records.append([name, cost, text])
        rows.append(
            f'<tr><td><img src="t{n}.gif" width="60"></td><td><table border="0"><tr><td><font face="Arial"><b><a href="i{n}.html">{name}</a></b></font></td></tr>'
            f'<tr><td><font size="2">{text}</font></td></tr><tr><td><font color="#990000">{cost}</font></td></tr></table></td></tr>'
        )
    html = f'<font size="4"><b>{head}</b></font><table border="1" width="100%">{"".join(rows)}</table><p><a href="p2.html">Next {count} &gt;&gt;</a></p>'
    return Content(head, html, "//table[@border='1']/tr", records, [head])


def double_rows(r: Random, count: int = 12) -> Content:
    """Two rows per record: a line with the title, a line with the rest; labelled row by row."""
    head, records, rows = title(r), [], []
    for n in range(count):
        name, cost, text = title(r), price(r), sentence(r)
        records += [[name, cost], [text]]
        rows.append(
            f'<tr bgcolor="#f0f0f0"><td>{n + 1}.</td><td><a href="{n}.html">{name}</a></td><td align="right">{cost}</td></tr>'
            f'<tr><td></td><td colspan="2"><small>{text}</small></td></tr>'
        )
    html = f'<h3>{head}</h3><table width="100%" cellspacing="0">{"".join(rows)}</table>'
    return Content(
        head, html, "//table[@cellspacing='0'][@width='100%'][not(@cellpadding)]/tr", records, [head]
    )


def results(r: Random, count: int = 10) -> Content:
    """Search results: some with a picture, some with further links, an advertisement above."""
    records, items, sponsored = [], [], sentence(r)
    for n in range(count):
        name, text, when = title(r), paragraph(r, 2), day(r)
        records.append([name, text, when])
        extra = (
            "".join(f'<li><a href="/{hashed(r)}">{phrase(r)}</a></li>' for _ in range(4))
            if n % 4 == 1
            else ""
        )
        picture = f'<div class="thumb"><img src="/{n}.png" alt=""></div>' if n % 3 == 2 else ""
        items.append(
            f'<div class="g">{picture}<div class="rc"><h3><a href="https://site{n}.example/{hashed(r)}">{name}</a></h3><cite>site{n}.example</cite>'
            f'<div class="s"><span class="st"><span class="f">{when} - </span><span>{text}</span></span></div>{f"<ul class=sl>{extra}</ul>" if extra else ""}</div></div>'
        )
    pages, following = _pages(r, "pager")
    html = f'<div id="stats">About {count * 930} results</div><div class="top-ads"><div class="ad"><a href="/aclk">{phrase(r)}</a><span>{sponsored}</span></div></div><div id="res">{"".join(items)}</div>{pages}'
    return Content("Results", html, "//div[@id='res']/div[@class='g']", records, [following], [sponsored])


def few_results(r: Random, count: int = 2) -> Content:
    """A list of two."""
    head, records, items = title(r), [], []
    for n in range(count):
        name, text, cost = title(r), paragraph(r, 2), price(r)
        records.append([name, text, cost])
        items.append(
            f'<div class="media result"><div class="media-left"><img src="/{n}.jpg" alt=""></div><div class="media-body"><h4 class="media-heading"><a href="/r/{n}">{name}</a></h4><p>{text}</p><strong>{cost}</strong></div></div>'
        )
    html = f'<h1>{head}</h1><p class="lead">{count} results</p>{"".join(items)}'
    return Content(head, html, "//div[@class='media result']", records, [head])


def hashed_cards(r: Random, count: int = 12) -> Content:
    """Cards whose every class is made anew for every card."""
    head, records, cards = title(r), [], []
    for _ in range(count):
        name, employer, text, when = title(r), r.choice(PEOPLE) + " & Sons", sentence(r), day(r)
        records.append([name, employer, text])
        cards.append(
            f'<div class="css-{hashed(r)}" data-testid="vacancy"><a class="css-{hashed(r)}" href="/v/{hashed(r)}"><span class="css-{hashed(r)}">{name}</span></a>'
            f'<div class="css-{hashed(r)}">{employer}</div><div class="css-{hashed(r)}">{text}</div><time class="css-{hashed(r)}">{when}</time></div>'
        )
    html = f'<h1 class="css-{hashed(r)}">{head}</h1><div class="css-{hashed(r)}">{"".join(cards)}</div>'
    return Content(head, html, "//div[@data-testid='vacancy']", records, [head])


def teasers(r: Random, count: int = 13) -> Content:
    """A front page: a lead with markup of its own, teasers of three kinds, boxes between them."""
    records, items, go = [], [], []
    for n in range(count):
        name, text, by = title(r), sentence(r), r.choice(PEOPLE)
        records.append([name, text])
        if n == 0:
            items.append(
                f'<article class="lead"><picture><img src="/lead.jpg" alt=""></picture><h2><a href="/{hashed(r)}">{name}</a></h2><p class="stand-first">{text}</p><p class="by">By {by}</p></article>'
            )
        elif n % 3 == 0:
            items.append(
                f'<article class="teaser opinion"><figure><img src="/{n}.jpg" alt=""><figcaption>{by}</figcaption></figure><h3><a href="/{hashed(r)}">{name}</a></h3><blockquote>{text}</blockquote></article>'
            )
        else:
            items.append(
                f'<article class="teaser"><h3><a href="/{hashed(r)}">{name}</a></h3><p>{text}</p></article>'
            )
        if n in (3, 8):
            go.append(sentence(r))
            items.append(f'<div class="ad-slot"><span>Advertisement</span><p>{go[-1]}</p></div>')
    html = f'<h1>Latest</h1><div class="river">{"".join(items)}</div>'
    return Content("Latest", html, "//article", records, ["Latest"], go)


def columns(r: Random, count: int = 4, *, deep: bool = False) -> Content:
    """Records in three containers side by side; `deep` puts each of them into boxes of its own."""
    head, records, parts = title(r), [], []
    for _ in range(3):
        cards = []
        for _ in range(count):
            name, text = title(r), sentence(r)
            records.append([name, text])
            cards.append(f'<li><a href="/{hashed(r)}">{name}</a><p>{text}</p><em>{day(r)}</em></li>')
        part = f'<ul class="items">{"".join(cards)}</ul>'
        parts.append(
            f'<div class="col"><div class="box"><div class="inner"><h2>{phrase(r)}</h2>{part}</div></div></div>'
            if deep
            else part
        )
    html = f'<h1>{head}</h1><div class="columns">{"".join(parts)}</div>'
    return Content(head, html, "//ul[@class='items']/li", records, [head])


def data_table(r: Random, count: int = 40) -> Content:
    """A table with thead, tbody and tfoot; cells of few characters."""
    head, records, rows = title(r), [], []
    for n in range(count):
        place, number, share = (
            f"{r.choice(PLACES)} {r.choice(('North', 'South', 'East', 'West'))}",
            f"{r.randrange(1000, 99999):,}",
            f"{r.uniform(1, 90):.1f} %",
        )
        records.append([place, number, share])
        rows.append(
            f"<tr><td>{n + 1}</td><th scope='row'>{place}</th><td>{number}</td><td>{share}</td><td>{r.randrange(1, 40)}</td></tr>"
        )
    html = (
        f"<h1>{head}</h1><table class='table'><caption>Counted in {r.randrange(1990, 2026)}</caption><thead><tr><th>No.</th><th>Ward</th><th>Inhabitants</th><th>Turnout</th><th>Seats</th></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody><tfoot><tr><td colspan='5'>Source: the returning officer</td></tr></tfoot></table>"
    )
    return Content(
        head, html, "//table[@class='table']/tbody/tr", records, [head, "Inhabitants"], kind="table"
    )


def aspnet_grid(r: Random, count: int = 20) -> Content:
    """A GridView: ids that count up, styles in attributes, the pager as the last row."""
    head, records, rows = title(r), [], []
    for n in range(count):
        reference, name, when = f"PL/{r.randrange(1000, 9999)}/{n:02}", title(r), day(r)
        records.append([reference, name, when])
        style = "background-color:White;" if n % 2 else "color:#333333;background-color:#F7F6F3;"
        rows.append(
            f'<tr style="{style}"><td><a id="ctl00_cph_gv_ctl{n + 2:02}_hl" href="Details.aspx?id={n}">{reference}</a></td>'
            f'<td><span id="ctl00_cph_gv_ctl{n + 2:02}_lbl">{name}</span></td><td>{when}</td></tr>'
        )
    html = (
        f'<h1>{head}</h1><table cellspacing="0" rules="all" border="1" id="ctl00_cph_gv"><tr style="font-weight:bold;"><th>Reference</th><th>Proposal</th><th>Received</th></tr>{"".join(rows)}'
        f'<tr class="pager"><td colspan="3"><a href="javascript:__doPostBack(1)">1</a> <a href="javascript:__doPostBack(2)">2</a></td></tr></table>'
    )
    return Content(head, html, "//table[@id='ctl00_cph_gv']/tr[@style][td]", records, [head], kind="table")


def definitions(r: Random, count: int = 18) -> Content:
    """Records as pairs of dt and dd; a pair is labelled as two blocks."""
    head, records, parts = title(r), [], []
    for n in range(count):
        name, text = phrase(r) + f" ({n + 1})", sentence(r)
        records += [[name], [text]]
        parts.append(f'<dt id="e{n}">{name}</dt><dd>{text}</dd>')
    html = f"<h1>{head}</h1><dl>{''.join(parts)}</dl>"
    return Content(head, html, "//dl/dt | //dl/dd", records, [head], kind="definitions")


def directory(r: Random, count: int = 16) -> Content:
    """Categories with subcategories in nested lists: the content is nothing but links."""
    head, records, parts = title(r), [], []
    for _ in range(count):
        name, below = phrase(r), [phrase(r) for _ in range(r.randrange(3, 9))]
        records.append([name, *below])
        subs = "".join(
            f'<li><a href="/d/{hashed(r)}">{text}</a> <small>({r.randrange(2, 400)})</small></li>'
            for text in below
        )
        parts.append(f'<li class="category"><h3><a href="/d/{hashed(r)}">{name}</a></h3><ul>{subs}</ul></li>')
    html = f'<h1>{head}</h1><ul class="directory">{"".join(parts)}</ul>'
    return Content(head, html, "//ul[@class='directory']/li", records, [head], kind="directory")


def comment_tree(r: Random, count: int = 8) -> Content:
    """Comments with replies to replies, as nested lists; each comment's own block is labelled."""
    head, records = title(r), []

    def comment(depth: int) -> str:
        by, text = r.choice(PEOPLE), paragraph(r, r.randrange(1, 4))
        records.append([by, text])
        replies = "".join(comment(depth + 1) for _ in range(r.randrange(0, 3) if depth < 4 else 0))
        return (
            f'<li class="comment depth-{depth}" id="c{len(records)}"><div class="comment-body"><b class="fn">{by}</b> <time>{day(r)}</time><p>{text}</p>'
            f'<a href="#reply">Reply</a></div>{f"<ol class=children>{replies}</ol>" if replies else ""}</li>'
        )

    items = "".join(comment(0) for _ in range(count))
    html = f'<h1>{head}</h1><ol class="comment-list">{items}</ol>'
    return Content(head, html, "//div[@class='comment-body']", records, [head], kind="thread")


def posts(r: Random, count: int = 12) -> Content:
    """A thread in the table layout of an old forum: a cell for the author, a cell for the text."""
    head, records, rows = title(r), [], []
    for n in range(count):
        by, text, when = r.choice(PEOPLE), paragraph(r, r.randrange(1, 5)), day(r)
        records.append([by, text])
        rows.append(
            f'<tr id="post{n}"><td class="row{n % 2 + 1}" width="150"><b>{by}</b><br><span class="postdetails">Joined: {r.randrange(2003, 2020)}<br>Posts: {r.randrange(1, 9000)}</span></td>'
            f'<td class="row{n % 2 + 1}"><span class="postdetails">Posted: {when}</span><hr><span class="postbody">{text}</span></td></tr>'
        )
    html = f'<h2><a class="maintitle" href="/t">{head}</a></h2><table class="forumline" width="100%">{"".join(rows)}</table>'
    return Content(head, html, "//table[@class='forumline']/tr", records, [head], kind="thread")


def question(r: Random, count: int = 4) -> Content:
    """A question, its answers with votes and remarks; related questions beside them."""
    head, records, parts = title(r), [], []
    for n in range(count):
        text, by = paragraph(r, 4), r.choice(PEOPLE)
        remarks = [sentence(r) for _ in range(r.randrange(0, 4))]
        records.append([text, by, *remarks])
        listed = "".join(
            f"<li class='remark'><span>{remark}</span> – <a href='/u'>{r.choice(PEOPLE)}</a></li>"
            for remark in remarks
        )
        parts.append(
            f'<div class="{"answer" if n else "question"}" id="a{n}"><div class="votes"><button>▲</button><span>{r.randrange(-3, 90)}</span><button>▼</button></div>'
            f'<div class="prose"><p>{text}</p><pre><code>{hashed(r, 40)}</code></pre></div><div class="signature">answered by <a href="/u">{by}</a></div><ul class="remarks">{listed}</ul></div>'
        )
    related = [phrase(r) + "?" for _ in range(12)]
    html = f'<h1><a href="/q">{head}</a></h1>{"".join(parts)}<div class="module sidebar-related"><h4>Related</h4>{"".join(f"<div class=spacer><a href=/q>{text}</a></div>" for text in related)}</div>'
    return Content(head, html, "//div[@class='question' or @class='answer']", records, [head], kind="thread")


def tabs(r: Random, count: int = 6) -> Content:
    """Three tabs with records each; two of them hidden until clicked."""
    head, records, panels = title(r), [], []
    for tab in range(3):
        items = []
        for _ in range(count):
            name, text = title(r), sentence(r)
            records.append([name, text])
            items.append(
                f'<div class="event"><h4><a href="/e/{hashed(r)}">{name}</a></h4><p>{text}</p><span class="date">{day(r)}</span></div>'
            )
        hidden = ' style="display:none"' if tab else ""
        panels.append(f'<div class="tab-pane" role="tabpanel" id="tab{tab}"{hidden}>{"".join(items)}</div>')
    html = f'<h1>{head}</h1><ul class="nav-tabs" role="tablist"><li>Talks</li><li>Walks</li><li>Workshops</li></ul>{"".join(panels)}'
    return Content(head, html, "//div[@class='event']", records, [head, "Workshops"])


def load_more(r: Random, count: int = 5) -> Content:
    """A handful of records; the rest is JSON in a script behind a button."""
    content = div_cards(r, count)
    rest = ",".join(f'{{"name":"{title(r)}","price":"{price(r)}"}}' for _ in range(40))
    content.html += f'<div class="text-center"><button id="more">Load more</button></div><script type="application/json" id="items">[{rest}]</script>'
    return content


def whole_articles(r: Random, count: int = 5) -> Content:
    """A weblog's front page: entries with header and footer elements inside each."""
    records, items = [], []
    for n in range(count):
        name, text, more, tag = title(r), paragraph(r, 4), paragraph(r, 3), phrase(r)
        records.append([name, text, more, tag])
        items.append(
            f'<article id="post-{n}" class="post-{n} post hentry"><header class="entry-header"><h2 class="entry-title"><a href="/{n}">{name}</a></h2><div class="entry-meta">{day(r)} by {r.choice(PEOPLE)}</div></header>'
            f'<div class="entry-content"><p>{text}</p><p>{more}</p></div><footer class="entry-footer"><span class="cat-links">Filed under <a href="/c">{tag}</a></span> <a href="/{n}#comments">Leave a comment</a></footer></article>'
        )
    pages, following = _pages(r, "nav-links")
    html = f'<main id="main" class="site-main">{"".join(items)}<nav class="navigation posts-navigation">{pages}</nav></main>'
    return Content(phrase(r), html, "//article", records, [following])


def carousel_cards(r: Random, count: int = 10) -> Content:
    """Homes for sale: in each card a carousel of its own, facts as a list, the agent's name."""
    head, records, cards = title(r), [], []
    for _ in range(count):
        name, cost, area, text = (
            title(r),
            f"£{r.randrange(90, 990)},000",
            f"{r.randrange(30, 260)} m²",
            sentence(r),
        )
        records.append([name, cost, area, text])
        slides = "".join(
            f'<div class="swiper-slide"><img src="/h/{hashed(r)}.jpg" loading="lazy" alt=""></div>'
            for _ in range(6)
        )
        cards.append(
            f'<div class="listing" id="home-{hashed(r)}"><div class="swiper"><div class="swiper-wrapper">{slides}</div><div class="swiper-button-next"></div></div>'
            f'<a href="/home/{hashed(r)}"><h2>{name}</h2></a><div class="price">{cost}</div><ul class="facts"><li>{area}</li><li>{r.randrange(1, 7)} rooms</li></ul><p>{text}</p><div class="agent">{r.choice(PEOPLE)}</div></div>'
        )
    html = f'<h1>{head}</h1><div class="results-list">{"".join(cards)}</div>'
    return Content(head, html, "//div[@class='listing']", records, [head])


def selectable(r: Random, count: int = 12) -> Content:
    """A library catalogue: a form with check boxes around the hits."""
    head, records, items = title(r), [], []
    for n in range(count):
        name, by, mark = title(r), r.choice(PEOPLE), f"QX {r.randrange(100, 999)}.{n}"
        records.append([name, by, mark])
        items.append(
            f'<li class="hit"><input type="checkbox" name="id" value="{n}"><div class="bib"><a href="/rec/{n}">{name}</a> / {by}</div><div class="hold">Shelf mark: <b>{mark}</b> <span class="status">{r.choice(("on shelf", "due " + day(r)))}</span></div></li>'
        )
    html = f'<h1>{head}</h1><form action="/basket" method="post"><input type="hidden" name="session" value="{hashed(r)}"><ol start="1">{"".join(items)}</ol><button>Put into list</button></form>'
    return Content(head, html, "//li[@class='hit']", records, [head])


def unclosed(r: Random, count: int = 14) -> Content:
    """No element is ever closed that need not be, and some that should."""
    head, records, items = title(r), [], []
    for n in range(count):
        name, text = title(r), sentence(r)
        records.append([name, text])
        items.append(
            f'<li><a href="{n}.htm"><b>{name}</b></a><br>{text} <i>({day(r)})\n'.replace("<i>", "<small>")
            + "</small>"
        )
    html = f"<center><h2>{head}</h2></center><font color=navy><ul type=square>{''.join(items)}</ul><p>Last changed {day(r)}<p>"
    return Content(head, html, "//ul[@type='square']/li", records, [head])


def calendar(r: Random) -> Content:
    """A month as a table of weeks; the events are inside the cells."""
    head, records, weeks = title(r), [], []
    for week in range(5):
        cells = []
        for weekday in range(7):
            events = ""
            if r.random() < 0.4:
                name, hour = title(r), f"{r.randrange(8, 22)}:{r.choice(('00', '30'))}"
                records.append([name, hour])
                events = f'<div class="event"><span class="hour">{hour}</span> <a href="/ev/{hashed(r)}">{name}</a></div>'
            cells.append(f'<td><span class="day">{min(31, week * 7 + weekday + 1)}</span>{events}</td>')
        weeks.append(f"<tr>{''.join(cells)}</tr>")
    days = "".join(f"<th>{name}</th>" for name in ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"))
    html = f'<h1>{head}</h1><table class="calendar"><thead><tr>{days}</tr></thead><tbody>{"".join(weeks)}</tbody></table>'
    return Content(head, html, "//div[@class='event']", records, [head], kind="calendar")
