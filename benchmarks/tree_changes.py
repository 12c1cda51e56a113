"""Change pruned trees at random between selections, as spiders may: nothing crashes.

    python -m benchmarks.tree_changes FIRST LAST

Each number is a page, its settings and some thirty acts on it: selections, dropped selectors, changes with lxml (also
moves into another document, and parts that outlive the page), copies of the response, the account, Markdown and
records. The same number always does the same. Run it with `benchmarks.address_sanitizer`, which sees reads of freed
memory. The last line before a crash has the number of the page.
"""

from __future__ import annotations

import copy
import gc
import pickle
import random
import sys
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

from lxml import etree, html
from parsel.selector import CannotDropElementWithoutParent
from scrapy.http import HtmlResponse

from scrapy_tps import Selection, Span, prune_response
from tests.fuzz.mutations import mutate, seed_page

if TYPE_CHECKING:
    from collections.abc import Callable

CSS = (
    *(
        "a::attr(href)",
        "h2",
        ".title::text",
        "nav a",
        "div > p:first-child",
        "li:last-child",
        "ul li a",
        "[id]",
    ),
    *(
        "form input",
        "span::text",
        "*",
        "[class]",
        "body > *",
        "head *",
        "aside *",
        "p",
        "::text",
        "td, th",
        "b",
    ),
)
XPATHS = (
    *(
        "//tr[2]",
        "//li[last()]",
        "count(//div)",
        "//*[@id][3]/@id",
        "//text()",
        "//comment()",
        "//a/..",
        "//@*",
    ),
    *(
        "//p/following-sibling::*[1]",
        "string(//nav)",
        'id("x")',
        "not(//aside)",
        "//*[not(*)]",
        ".",
        "..",
        ".//a",
    ),
    *("../*", "following-sibling::node()", "ancestor::*", "./text()", "string()", "/html/body/*[2]"),
)
TAGS = ("div", "p", "span", "li", "a", "removed", "nav", "section")
STRATEGIES = ("auto", "auto", "auto", "aggressive", "paper", "tps")
DROPPED = ("p", "div", "a", "li", "//b")
KEPT = ("a", "ul", "form", "//*[@id]")
#: Errors of lxml and parsel for changes that make no sense, with and without pruning.
EXPECTED = (
    ValueError,
    TypeError,
    AssertionError,
    etree.LxmlError,
    IndexError,
    CannotDropElementWithoutParent,
)


def _elements(root: Any) -> list[Any]:
    return [element for element in root.iter() if isinstance(element.tag, str)]


def _move_to_other_document(_: random.Random, element: Any, __: Any) -> Any:
    other: Any = html.document_fromstring("<html><body><p>other</p></body></html>")
    other.find("body").append(element)
    return other


def _remove(_: random.Random, element: Any, __: Any) -> None:
    if element.getparent() is not None:
        element.getparent().remove(element)


def _remove_every_other_child(_: random.Random, element: Any, __: Any) -> None:
    for child in list(element)[::2]:
        element.remove(child)


def _move_into(rng: random.Random, element: Any, root: Any) -> None:
    rng.choice(_elements(root)).append(element)


def _move_beside(rng: random.Random, element: Any, root: Any) -> None:
    beside = rng.choice(_elements(root))
    (beside.addnext if rng.random() < 0.5 else beside.addprevious)(element)


def _set_text(rng: random.Random, element: Any, _: Any) -> None:
    element.text = rng.choice([None, "", "x", "text " * 20])


def _set_tail(rng: random.Random, element: Any, _: Any) -> None:
    element.tail = rng.choice([None, "", " ", "tail " * 20])


def _set_tag(rng: random.Random, element: Any, _: Any) -> None:
    element.tag = rng.choice(TAGS)


def _set_attributes(rng: random.Random, element: Any, _: Any) -> None:
    element.set("class", rng.choice(["title", "a b c", ""]))
    element.attrib.pop("id", None)


def _reverse_children(_: random.Random, element: Any, __: Any) -> None:
    element[:] = list(reversed(element))


def _replace(_: random.Random, element: Any, __: Any) -> None:
    if element.getparent() is not None:
        element.getparent().replace(element, element.makeelement("u"))


def _insert(_: random.Random, element: Any, __: Any) -> None:
    element.insert(0, element.makeelement("div", {"class": "title", "id": "x"}))


def _extend(_: random.Random, element: Any, __: Any) -> None:
    element.extend(html.fragments_fromstring("<p class=title>a</p><b>c</b>tail"))
    element.append(etree.Comment("c"))
    element.append(etree.ProcessingInstruction("x", "y"))


def _clear(rng: random.Random, element: Any, _: Any) -> None:
    element.clear(keep_tail=rng.random() < 0.5)


def _strip_tags(rng: random.Random, _: Any, root: Any) -> None:
    etree.strip_tags(root, rng.choice(TAGS), etree.Comment)


def _strip_elements(rng: random.Random, _: Any, root: Any) -> None:
    tag: Any = rng.choice(["a", "span", "script", etree.Comment])
    etree.strip_elements(root, tag, with_tail=rng.random() < 0.5)


def _read(_: random.Random, element: Any, root: Any) -> Any:
    return etree.tostring(element), element.text, dict(element.attrib), list(root.iter())


#: They get the source of chance, the element, and the root of its tree.
CHANGES: tuple[Callable[[random.Random, Any, Any], Any], ...] = (
    *(_remove, _remove_every_other_child, _move_into, _move_beside, _move_to_other_document, _replace),
    *(_set_text, _set_tail, _set_tag, _set_attributes, _reverse_children, _insert, _extend, _clear),
    *(_strip_tags, _strip_elements, _read),
    lambda _, element, __: element.drop_tree(),
    lambda _, element, __: element.drop_tag(),
    lambda _, element, __: copy.deepcopy(element),
    lambda _, element, __: element,
)


class Unruly:
    """A user's strategy that changes the tree while it selects."""

    size_ratio = 0.1

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def select(self, sequence: Any, *_: object) -> Selection:
        rng, size = self._rng, len(sequence)
        for _change in range(rng.randrange(12)):
            attempt(lambda: rng.choice(CHANGES)(rng, sequence.nodes[rng.randrange(size)], sequence.nodes[0]))
        start = rng.randrange(size)
        stop = min(size, start + rng.randrange(1, size + 1))
        return Selection("pruned", [Span(start, stop, rng.random() < 0.5, "at random", "random")])


def attempt(act: Callable[[], Any]) -> Any:
    """Return the result of an act; None if it fails as expected."""
    try:
        return act()
    except EXPECTED:
        return None


class Visit:
    """A page, and what a spider holds of it."""

    def __init__(self, number: int) -> None:
        self.rng = rng = random.Random(number)
        page = mutate(seed_page(rng), rng)[: rng.choice([3_000, 12_000, 30_000])]
        self._body = page.decode("utf-8", "replace").encode()
        self._settings = self._choose_settings()
        self.responses: list[Any] = []
        self.selectors: list[Any] = []
        self.held: list[Any] = []
        if rng.random() < 0.3:  # lxml has a dictionary of names for each thread
            thread = threading.Thread(target=self._prune)
            thread.start()
            thread.join()
        else:
            self._prune()

    def _choose_settings(self) -> dict[str, Any]:
        rng = self.rng
        chosen: dict[str, Any] = {"TPS_MIN_NODES": 0}
        chosen["TPS_STRATEGY"] = rng.choice(STRATEGIES) if rng.random() < 0.8 else Unruly(rng)
        if rng.random() < 0.3:
            chosen["TPS_DROP"] = [rng.choice(DROPPED)]
        if rng.random() < 0.2:
            chosen["TPS_KEEP"] = [rng.choice(KEPT)]
        return chosen

    def _prune(self) -> None:
        page = HtmlResponse("http://a.example/", body=self._body, encoding="utf-8")
        self.responses.append(prune_response(page, self._settings))

    def act(self) -> None:
        """Do one thing."""
        acts = (
            self.select,
            self.select_from,
            self.drop,
            self.change,
            self.change,
            self.use,
            self.copy,
            self.forget,
        )
        weights = (35, 15, 5, 15, 15, 6, 3, 6)
        self.rng.choices(acts, weights)[0]()

    def _keep_some(self, found: Any) -> None:
        self.selectors += self.rng.sample(list(found), min(3, len(found)))

    def select(self) -> None:
        response = self.rng.choice(self.responses)
        self._keep_some(self._ask(response))

    def select_from(self) -> None:
        if self.selectors:
            self._keep_some(self._ask(self.rng.choice(self.selectors)))

    def _ask(self, asked: Any) -> Any:
        if self.rng.random() < 0.6:
            return asked.css(self.rng.choice(CSS))
        return asked.xpath(self.rng.choice(XPATHS))

    def drop(self) -> None:
        elements = [one for one in self.selectors if hasattr(one.root, "getparent")]
        if elements:
            self.rng.choice(elements).drop()

    def change(self) -> None:
        rng = self.rng
        root = rng.choice(self.responses).selector.root
        found = [one.root for one in self.selectors if isinstance(getattr(one.root, "tag", None), str)]
        element = rng.choice(found) if found and rng.random() < 0.7 else rng.choice(_elements(root))
        self.held.append(rng.choice(CHANGES)(rng, element, root))

    def use(self) -> None:
        response = self.rng.choice(self.responses)
        account = response.tps
        self.rng.choice(
            (
                lambda: account.html,
                lambda: list(account.removed())[:3],
                account.records,
                account.markdown,
                lambda: str(account.selector_usage),
                lambda: self.selectors and self.selectors[-1].get(),
                response.release_selector,
            )
        )()

    def copy(self) -> None:
        response = self.rng.choice(self.responses)
        self.responses.append(
            self.rng.choice(
                (
                    lambda: response.replace(url="http://b.example/"),
                    response.copy,
                    lambda: copy.deepcopy(response),
                    lambda: pickle.loads(pickle.dumps(response)),
                    lambda: response.replace(body=b"<p>new</p>"),
                )
            )()
        )

    def forget(self) -> None:
        del self.selectors[::2], self.held[:2]
        if len(self.responses) > 1:
            self.responses.pop(0)
        gc.collect()

    def end(self) -> None:
        """Let go of the page, then of its parts."""
        self.responses.clear()
        gc.collect()
        for one in self.selectors[-15:]:
            attempt(one.get)
            attempt(partial(one.css, "*"))
            attempt(partial(one.xpath, "string(..)"))
        self.rng.shuffle(self.selectors)
        while self.selectors:
            self.selectors.pop()
        while self.held:
            self.held.pop()


def main(first: int, last: int) -> None:
    for number in range(first, last):
        print(f"\rpage {number}", end="", file=sys.stderr, flush=True)
        visit = Visit(number)
        if not visit.responses:
            continue
        for _ in range(visit.rng.randrange(5, 40)):
            attempt(visit.act)
        visit.end()
    print(f"\r{last - first} pages changed")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
