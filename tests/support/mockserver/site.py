"""The answers of the test server."""

from __future__ import annotations

import gzip
from collections import Counter
from dataclasses import dataclass, field

from tests.support.mockserver import bad_pages
from tests.support.shop_pages import detail, listing, menu
from tests.support.site import article

TOKEN = "s3cret-t0ken"
LOGIN_FORM = (
    '<form class="login" action="/login" method="post"><input type="hidden" name="csrf" value="{token}">'
    '<input type="text" name="user"><input type="password" name="password">'
    '<input type="submit" name="go" value="Sign in"></form>'
)
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)


@dataclass
class Page:
    body: bytes
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)


def html(text: str, status: int = 200, **headers: str) -> Page:
    return Page(text.encode(), status, headers=headers)


def _sitemap(base: str) -> bytes:
    entries = "".join(f"<url><loc>{base}/product/{number}</loc></url>" for number in range(1, 41))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'
    ).encode()


class Site:
    """The pages; counts what was asked for."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    def answer(self, path: str, query: dict[str, str], form: dict[str, str], cookie: str) -> Page:
        key = f"{path}?{query.get('key', '')}"
        self.asked[key] += 1
        first, _, rest = path.lstrip("/").partition("/")
        handler = getattr(self, f"page_{first.replace('-', '_').replace('.', '_')}", None)
        if handler is None:
            return html(listing(), 404)
        page = handler(rest, query | {"asked": str(self.asked[key]), "cookie": cookie}, form)
        assert isinstance(page, Page)
        return page

    def page_story(self, rest: str, query: dict[str, str], form: dict[str, str]) -> Page:
        return html(article(int(rest)), int(query.get("status", 200)))

    def page_shop(self, rest: str, query: dict[str, str], form: dict[str, str]) -> Page:
        page = html(listing(int(query.get("page", 1))))
        page.headers["Cache-Control"] = "max-age=3600"
        return page

    def page_product(self, rest: str, query: dict[str, str], form: dict[str, str]) -> Page:
        return html(detail(int(rest)))

    def page_only(self, rest: str, query: dict[str, str], form: dict[str, str]) -> Page:
        return html(detail(1000 + int(rest)))

    def page_category(self, rest: str, query: dict[str, str], form: dict[str, str]) -> Page:
        return html(f"<html><body><p>Category {rest}</p></body></html>")

    def page_gzip(self, rest: str, query: dict[str, str], form: dict[str, str]) -> Page:
        return Page(gzip.compress(listing().encode()), headers={"Content-Encoding": "gzip"})

    def page_large(self, rest: str, query: dict[str, str], form: dict[str, str]) -> Page:
        return html(listing() + " " * 2**20)

    def page_login(self, rest: str, query: dict[str, str], form: dict[str, str]) -> Page:
        if not form:
            return html(listing(top=LOGIN_FORM.format(token=TOKEN)))
        if form == {"csrf": TOKEN, "user": "me", "password": "pass", "go": "Sign in"}:
            return html("", 302, Location="/account", **{"Set-Cookie": "session=1"})
        return html(f"<html><body>wrong: {sorted(form.items())}</body></html>", 403)

    def page_account(self, rest: str, query: dict[str, str], form: dict[str, str]) -> Page:
        if "session=1" not in query["cookie"]:
            return html("<html><body>who are you?</body></html>", 403)
        return html("<html><body><h1>Welcome</h1></body></html>")

    def page_redirect(self, rest: str, query: dict[str, str], form: dict[str, str]) -> Page:
        return html(listing(), 301, Location="/shop")

    def page_members(self, rest: str, query: dict[str, str], form: dict[str, str]) -> Page:
        return html("", 302, Location="/login")

    def page_refresh(self, rest: str, query: dict[str, str], form: dict[str, str]) -> Page:
        return html(listing(head='<meta http-equiv="refresh" content="0; url=/shop?page=2">'))

    def page_flaky(self, rest: str, query: dict[str, str], form: dict[str, str]) -> Page:
        return html(listing(), 503 if int(query["asked"]) < 3 else 200)

    def page_status(self, rest: str, query: dict[str, str], form: dict[str, str]) -> Page:
        return html(listing(), int(rest))

    def page_robots_txt(self, rest: str, query: dict[str, str], form: dict[str, str]) -> Page:
        """As sites do that answer everything with their home page."""
        return html(listing())

    def page_sitemaps(self, rest: str, query: dict[str, str], form: dict[str, str]) -> Page:
        """``/sitemaps/PORT/sitemap.xml``, also ``.gz``: a sitemap that the server calls HTML."""
        port, _, name = rest.partition("/")
        body = _sitemap(f"http://127.0.0.1:{port}")
        return Page(gzip.compress(body) if name.endswith(".gz") else body, content_type="text/html")

    def page_image_png(self, rest: str, query: dict[str, str], form: dict[str, str]) -> Page:
        return Page(PIXEL, content_type="image/png")

    def page_menu(self, rest: str, query: dict[str, str], form: dict[str, str]) -> Page:
        return html(f"<html><body>{menu('mega')}</body></html>")

    def page_bad(self, rest: str, query: dict[str, str], form: dict[str, str]) -> Page:
        body, content_type = bad_pages.BAD_PAGES[rest]()
        return Page(body, content_type=content_type)
