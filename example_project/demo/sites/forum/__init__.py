"""forum.example: boards with topics, topics with posts, in the markup of the usual forum software."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from demo.sites.base import Site, chunk, links

TOPICS_PER_PAGE = 8
POSTS_PER_PAGE = 6


class Forum(Site):
    host = "forum.example"

    def page(self, path: str, query: Mapping[str, str]) -> str | None:
        if path == "/":
            return self._layout(
                "Board index", self.fill("index", boards=self.fill_each("board", self._boards()))
            )
        for board in self._boards():
            if path == f"/board/{board['slug']}":
                return self._board(board, query)
        for topic in self.data["topics"]:
            if path == f"/topic/{topic['id']}":
                return self._topic(topic, query)
        return None

    def _boards(self) -> list[dict[str, Any]]:
        topics = self.data["topics"]
        return [
            board
            | {
                "count": sum(topic["board"] == board["name"] for topic in topics),
                "posts": sum(len(topic["posts"]) for topic in topics if topic["board"] == board["name"]),
            }
            for board in self.data["boards"]
        ]

    def _layout(self, title: str, main: str) -> str:
        users = sorted(self.data["signatures"])
        options = "".join(
            f"<option value='{escape(b['slug'])}'>{escape(b['name'])}</option>" for b in self._boards()
        )
        return self.fill(
            "layout",
            {"title": title},
            main=main,
            options=options,
            online=links(users, "/user/", '<a class="username" href="{url}">{text}</a>, '),
        )

    def _board(self, board: Mapping[str, Any], query: Mapping[str, str]) -> str:
        topics = [topic for topic in self.data["topics"] if topic["board"] == board["name"]]
        shown, number, pages = chunk(topics, query, TOPICS_PER_PAGE)
        rows = "".join(
            self.fill("row", topic | {"shade": f"bg{1 + at % 2}", "last": topic["posts"][-1]["posted"]})
            for at, topic in enumerate(shown)
        )
        pagination = paginated(f"/board/{board['slug']}", number, pages)
        return self._layout(board["name"], self.fill("topics", board, rows=rows, pagination=pagination))

    def _topic(self, topic: dict[str, Any], query: Mapping[str, str]) -> str:
        shown, number, pages = chunk(topic["posts"], query, POSTS_PER_PAGE)
        posts = "".join(self._post(topic, post, at) for at, post in enumerate(shown))
        pagination = paginated(f"/topic/{topic['id']}", number, pages)
        return self._layout(topic["title"], self.fill("thread", topic, posts=posts, pagination=pagination))

    def _post(self, topic: dict[str, Any], post: dict[str, Any], position: int) -> str:
        signature = self.data["signatures"][post["author"]]
        return self.fill(
            "post",
            post | {"shade": f"bg{1 + position % 2}", "title": topic["title"], "topic": topic["id"]},
            text="<br>\n".join(map(escape, post["text"])),
            quote=f"<blockquote><div>{escape(post['quote'])}</div></blockquote>" if post["quote"] else "",
            signature=f'<div class="signature">{escape(signature)}</div>' if signature else "",
        )


def paginated(path: str, number: int, pages: int) -> str:
    """The links of a list of several pages; nothing for a list of one."""
    if pages == 1:
        return ""
    numbers = "".join(
        f'<li class="active"><span>{n}</span></li>'
        if n == number
        else f'<li><a href="{path}?page={n}">{n}</a></li>'
        for n in range(1, pages + 1)
    )
    following = f'<li class="arrow next"><a rel="next" href="{path}?page={number + 1}">Next</a></li>'
    return f'<div class="pagination"><ul>{numbers}{following if number < pages else ""}</ul></div>'
