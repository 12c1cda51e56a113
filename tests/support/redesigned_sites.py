"""Small sites in several styles, each with its callback and a redesign of its pages the day after."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.support.redesigns import drop, find, hashed_classes, redesigned, rename, wrap

if TYPE_CHECKING:
    from collections.abc import Callable

Page = tuple[str, str]


@dataclass(frozen=True)
class Redesign:
    """A site before and after.

    :ivar pages: address and HTML of the pages of the first day; `later`: of the second day, before the redesign.
    :ivar lost: selectors that can be repaired, with their row's selector; `gone`: those that can't.
    """

    name: str
    pages: list[Page]
    callback: Callable[[Any], None]
    change: Callable[[Any], None]
    lost: dict[str, str] = field(default_factory=dict)
    gone: tuple[str, ...] = ()
    later: list[Page] = field(default_factory=list)

    def after(self) -> list[Page]:
        """The pages after the redesign."""
        return [(url, redesigned(page, self.change)) for url, page in self.later or self.pages]


def document(title: str, body: str, lang: str = "en") -> str:
    around = "".join(
        f"<li><a href='/{word}'>{word.title()}</a></li>" for word in ("about", "help", "terms", "contact")
    )
    return (
        f"<!DOCTYPE html><html lang={lang}><head><title>{title}</title></head><body><header><ul class=nav>{around}</ul>"
        f"</header><main>{body}</main><footer><p>© 2026 by the owners, all rights reserved</p></footer></body></html>"
    )


# A shop for tools in German: a table with a row for each article.

TOOLS = ("Hammer", "Zange", "Säge", "Feile", "Bohrer", "Meißel", "Hobel", "Schraubstock")


def tool_table(page: int) -> Page:
    rows = "".join(
        f"<tr class='artikel zeile-{place % 2}'><td class='nr'>W{page}{place}-{7 * place + page}</td>"
        f"<td class='bez'><a href='/artikel/{page}{place}'>{tool} Modell {page}{place}</a></td>"
        f"<td class='preis'>{12 + 9 * page + place},{10 + 7 * place} €</td>"
        f"<td class='lager'>{3 * place + page} Stück</td>"
        f"<td class='frist'>{2 + place % 3} Tage</td></tr>"
        for place, tool in enumerate(TOOLS)
    )
    body = (
        f"<h1>Werkzeug, Seite {page}</h1><table class='liste'><thead><tr><th>Nr.</th><th>Bezeichnung</th><th>Preis</th>"
        f"<th>Lager</th><th>Frist</th></tr></thead><tbody>{rows}</tbody></table>"
        "<p class='hinweis'>Versand ab 4,90 €</p>"
    )
    return f"http://werkzeug.example/liste?seite={page}", document(f"Werkzeug {page}", body, "de")


def parse_tools(response: Any) -> None:
    for row in response.css("tr.artikel"):
        row.css("td.nr::text").get()
        row.css("td.bez a::text").get()
        row.css("td.bez a::attr(href)").get()
        row.css("td.preis::text").get()
        row.css("td.lager::text").get()
        row.css("td.frist::text").get()


def parse_tools_by_place(response: Any) -> None:
    for row in response.xpath("//table[@class='liste']/tbody/tr"):
        row.xpath("./td[1]/text()").get()
        row.xpath("./td[2]/a/text()").get()
        row.xpath("./td[@class='preis']/text()").get()


def tools_as_grid(root: Any) -> None:
    table = next(find(root, "table.liste"))
    drop(next(find(root, "thead")))
    table.tag = "section"
    table.set("class", "kacheln")
    for row in find(root, "tr"):
        row.tag = "div"
        row.set("class", "kachel")
        for cell, name in zip(list(row), ("nummer", "titel", "betrag", "vorrat", "dauer"), strict=True):
            cell.tag = "p"
            cell.set("class", name)


def tool_columns_moved(root: Any) -> None:
    for row in find(root, "tr.artikel"):
        cells = list(row)
        for cell in (cells[3], cells[4], cells[0], cells[2]):
            row.append(cell)
        for cell in row:
            del cell.attrib["class"]


def tool_prices_split(root: Any) -> None:
    for cell in find(root, "td.preis"):
        whole, _, rest = (cell.text or "").partition(",")
        cell.text = None
        cell.set("class", "betrag")
        for tag, text in (("b", whole), ("sup", f",{rest}")):
            part = cell.makeelement(tag)
            part.text = text
            cell.append(part)


def tool_stock_as_attribute(root: Any) -> None:
    for cell in find(root, "td.lager"):
        cell.set("data-bestand", (cell.text or "").split()[0])
        cell.text = None
        cell.set("class", "ampel")


# A board for jobs: a description list on each page.

TOWNS = ("Leeds", "Cork", "Truro", "Perth", "Derry", "Swansea")
TITLES = ("Gardener", "Joiner", "Nurse", "Welder", "Baker", "Glazier")


def job(number: int) -> Page:
    facts = {
        "Employer": f"{TITLES[number % 6]} Works {number} Ltd",
        "Town": TOWNS[number % 6],
        "Salary": f"£{21 + number},{100 + 37 * number} a year",
        "Posted": f"{1 + number} March 2026",
        "Reference": f"JB-{4000 + 13 * number}",
    }
    rows = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts.items())
    body = (
        f"<article class='vacancy'><h1 class='vacancy-title'>{TITLES[number % 6]} number {number}</h1>"
        f"<dl class='facts'>{rows}</dl><div class='vacancy-text'><p>Work number {number} starts early, "
        "in all weathers, "
        f"and ends when the job of day {number} is done.</p></div></article>"
    )
    return f"http://board.example/job/{number}", document(f"Job {number}", body)


def parse_job(response: Any) -> None:
    article = response.css("article.vacancy")
    article.css("h1.vacancy-title::text").get()
    article.xpath(".//dt[.='Employer']/following-sibling::dd[1]/text()").get()
    article.xpath(".//dt[.='Salary']/following-sibling::dd[1]/text()").get()
    article.xpath(".//dt[.='Reference']/following-sibling::dd[1]/text()").get()


def job_labels_moved(root: Any) -> None:
    for facts in find(root, "dl.facts"):
        facts.tag = "table"
        for label in facts.findall("dt"):
            value = label.getnext()
            row = wrap(label, "tr")
            row.append(value)
            label.tag, value.tag = "th", "td"
            label.text = f"{label.text}:"


GERMAN = {
    "Employer": "Arbeitgeber",
    "Town": "Ort",
    "Salary": "Gehalt",
    "Posted": "Datum",
    "Reference": "Kennziffer",
}


def job_language_changed(root: Any) -> None:
    root.set("lang", "de")
    for label in root.iter("dt"):
        label.text = GERMAN[label.text]


def job_pages_merged(root: Any) -> None:
    (article,) = find(root, "article.vacancy")
    article.tag = "div"
    article.set("class", "panel panel-first")
    outer = wrap(article, "div", class_="panels")
    for number in range(3):
        other = article.makeelement("div", {"class": "panel"})
        heading = article.makeelement("h3")
        heading.text = f"Similar vacancy {number}"
        other.append(heading)
        outer.append(other)


# A forum: posts of a thread.

PEOPLE = ("alba", "bruno", "chidi", "dagny", "emre")


def thread(number: int) -> Page:
    posts = "".join(
        f"<div class='msg' id='m{number}{place}'><div class='side'>"
        f"<strong class='nick'>{PEOPLE[(number + place) % 5]}</strong>"
        f"<small class='rank'>{100 * place + number} posts</small></div><div class='main'>"
        f"<span class='when'>{1 + place} May 2026, 1{place}:0{number}</span><div class='words'>"
        f"<p>Answer {place} in thread {number}: the engine of day {3 * number + place} runs "
        f"well since I cleaned part {place}{number}."
        "</p></div></div></div>"
        for place in range(6)
    )
    return (
        f"http://talk.example/thread/{number}",
        document(
            f"Thread {number}",
            f"<h2 class='subject'>Thread {number} on engines</h2><div class='msgs'>{posts}</div>",
        ),
    )


def parse_thread(response: Any) -> None:
    response.css("h2.subject::text").get()
    for post in response.css("div.msg"):
        post.css("strong.nick::text").get()
        post.css("span.when::text").get()
        " ".join(post.css("div.words p::text").getall())
        post.css("small.rank::text").re_first(r"\d+")


def thread_rows_renamed(root: Any) -> None:
    for post in find(root, "div.msg"):
        post.tag = "li"
        post.set("class", "comment")
        del post.attrib["id"]
    for posts in find(root, "div.msgs"):
        posts.tag = "ol"
    rename(root, "when", "timestamp")


def thread_ranks_gone(root: Any) -> None:
    for rank in list(find(root, "small.rank")):
        drop(rank)


# An index of news, half of whose teasers are new the next day.

WORDS = (
    "harbour",
    "council",
    "library",
    "railway",
    "orchard",
    "theatre",
    "hospital",
    "market",
    "bridge",
    "school",
)


def front_page(day: int, page: int) -> Page:
    def teaser(number: int) -> str:
        word = WORDS[number % 10]
        return (
            f"<article class='teaser'><p class='topic'>{WORDS[number % 3].title()}s</p>"
            f"<h2 class='line'><a href='/{word}-{number}'>The {word} has plan {number} again</a></h2>"
            f"<p class='lead'>It is the plan number {number} for the {word}, "
            f"says the {WORDS[(number + 3) % 10]} committee.</p>"
            f"<div class='meta'><em class='byline'>By {PEOPLE[number % 5].title()} {word.title()}</em>"
            f"<i class='date'>{1 + number % 28} June 2026</i></div></article>"
        )

    first = 10 * page - 5 * day
    teasers = "".join(map(teaser, range(100 + first, 110 + first)))
    return f"http://daily.example/?page={page}", document(
        f"News {page}", f"<div class='index'>{teasers}</div>"
    )


def parse_front(response: Any) -> None:
    for teaser in response.css("div.index article.teaser"):
        teaser.css("h2.line a::text").get()
        teaser.css("h2.line a::attr(href)").get()
        teaser.css(".byline::text").get()
        teaser.css(".date::text").get()
        teaser.css(".lead::text").get()


def front_wrapped(root: Any) -> None:
    for teaser in find(root, "article.teaser"):
        teaser.set("class", "inner")
        wrap(teaser, "div", class_="card")
    rename(root, "index", "stream")


def front_renamed(root: Any) -> None:
    rename(root, "date", "published")


# A cinema in French: films on one page for each day.

FILMS = ("Le Vent", "La Barque", "Minuit", "Les Oliviers", "Un Été", "La Gare", "Le Pain")


def programme(day: int) -> Page:
    films = "".join(
        f"<section class='film'><h3 class='titre'>{film} {day}</h3><p class='duree'>{80 + 5 * place + day} minutes</p>"
        f"<p class='seance'>{14 + place}h{10 + day}</p><p class='tarif'>{7 + place},{50 + day} €</p>"
        f"<p class='salle'>Salle {1 + place % 4}</p></section>"
        for place, film in enumerate(FILMS)
    )
    return f"http://cinema.example/jour/{day}", document(
        f"Jour {day}", f"<div class='films'>{films}</div>", "fr"
    )


def parse_programme(response: Any) -> None:
    for film in response.css(".film"):
        film.css(".titre::text").get()
        film.css(".duree::text").get()
        film.css(".seance::text").get()
        film.css(".tarif::text").get()


def programme_prices_gone(root: Any) -> None:
    for price in list(find(root, "p.tarif")):
        drop(price)
    for duration in find(root, "p.duree"):
        extra = duration.makeelement("p", {"class": "lunettes"})
        extra.text = "Lunettes 3D : 2,00 €"
        duration.addnext(extra)


LISTS = [tool_table(page) for page in range(1, 5)]
JOBS = [job(number) for number in range(1, 9)]
THREADS = [thread(number) for number in range(1, 6)]
FRONTS = [front_page(0, page) for page in range(1, 5)]
LATER = [front_page(1, page) for page in range(1, 5)]
DAYS = [programme(day) for day in range(1, 5)]

SALARY = ".//dt[.='Salary']/following-sibling::dd[1]/text()"
REFERENCE = ".//dt[.='Reference']/following-sibling::dd[1]/text()"

REDESIGNS = [
    Redesign(
        "class renamed",
        FRONTS,
        parse_front,
        front_renamed,
        {".date::text": "div.index article.teaser"},
        later=LATER,
    ),
    Redesign(
        "wrapper added", FRONTS, parse_front, front_wrapped, {"div.index article.teaser": ""}, later=LATER
    ),
    Redesign("table to grid", LISTS, parse_tools, tools_as_grid, {"tr.artikel": ""}),
    Redesign(
        "label moved",
        JOBS,
        parse_job,
        job_labels_moved,
        {SALARY: "article.vacancy", REFERENCE: "article.vacancy"},
    ),
    Redesign("hashed classes", DAYS, parse_programme, hashed_classes, {".film": ""}),
    Redesign(
        "order of columns changed",
        LISTS,
        parse_tools,
        tool_columns_moved,
        {"td.preis::text": "tr.artikel", "td.nr::text": "tr.artikel"},
    ),
    Redesign("price split", LISTS, parse_tools, tool_prices_split, {"td.preis::text": "tr.artikel"}),
    Redesign(
        "attribute for text", LISTS, parse_tools, tool_stock_as_attribute, {"td.lager::text": "tr.artikel"}
    ),
    Redesign(
        "rows renamed",
        THREADS,
        parse_thread,
        thread_rows_renamed,
        {"div.msg": "", "span.when::text": "div.msg"},
    ),
    Redesign("field gone", DAYS, parse_programme, programme_prices_gone, gone=(".tarif::text",)),
    Redesign("another field gone", THREADS, parse_thread, thread_ranks_gone, gone=("small.rank::text",)),
    Redesign("page type merged", JOBS, parse_job, job_pages_merged, {"article.vacancy": ""}),
    Redesign(
        "language changed",
        JOBS,
        parse_job,
        job_language_changed,
        {SALARY: "article.vacancy", REFERENCE: "article.vacancy"},
    ),
    Redesign(
        "place for class",
        LISTS,
        parse_tools_by_place,
        tools_as_grid,
        dict.fromkeys(["//table[@class='liste']/tbody/tr"], ""),
    ),
]
