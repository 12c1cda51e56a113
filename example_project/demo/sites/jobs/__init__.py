"""jobs.example: a job board as a CSS-in-JS framework renders it, with new class names for every card."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from typing import Any
from zlib import crc32

from demo.sites.base import Site, chunk, links

PAGE_SIZE = 12


class Jobs(Site):
    host = "jobs.example"

    def page(self, path: str, query: Mapping[str, str]) -> str | None:
        if path == "/jobs":
            return self._listing(query)
        for job in self.data["jobs"]:
            if path == f"/job/{job['id']}":
                return self._job(job)
        return None

    def _layout(self, title: str, main: str, state: object) -> str:
        searches = [f"{role} jobs in {place}" for role in self.data["roles"] for place in self.data["places"]]
        return self.fill(
            "layout",
            {"title": title},
            main=main,
            state=json.dumps(state),
            popular=links(searches, "/jobs/", '<a class="css-1kx7" href="{url}">{text}</a> '),
        )

    def _listing(self, query: Mapping[str, str]) -> str:
        jobs, number, pages = chunk(self.data["jobs"], query, PAGE_SIZE)
        cards = []
        for position, job in enumerate(jobs):
            cards.append(self._card(job))
            if position == 5:
                cards.append(self.fill("alert"))
        numbers = "".join(
            f'<a class="css-{generated(str(n))}" href="/jobs?page={n}" aria-label="page {n}">{n}</a>'
            for n in range(1, pages + 1)
        )
        main = self.fill("listing", {"total": len(self.data["jobs"])}, cards="".join(cards), numbers=numbers)
        return self._layout("Jobs", main, {"page": "/jobs", "query": {"page": number}})

    def _card(self, job: dict[str, Any]) -> str:
        tags = "".join(
            f'<li class="css-{generated(tag)}" data-testid="tag">{escape(tag)}</li>' for tag in job["tags"]
        )
        salary = f'<div data-testid="salary">{escape(job["salary"])}</div>' if job["salary"] else ""
        return self.fill("card", job | {"generated": generated(job["id"])}, tags=tags, salary=salary)

    def _job(self, job: dict[str, Any]) -> str:
        main = self.fill(
            "job",
            job,
            salary=f'<p data-testid="salary">{escape(job["salary"])}</p>' if job["salary"] else "",
            tags="".join(f'<li class="css-1tag">{escape(tag)}</li>' for tag in job["tags"]),
            duties="".join(f"<li>{escape(text)}</li>" for text in job["duties"]),
            requirements="".join(f"<li>{escape(text)}</li>" for text in job["requirements"]),
            facts="".join(
                f'<div class="css-0row"><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>'
                for name, value in job["facts"].items()
            ),
        )
        return self._layout(job["title"], main, {"page": "/job/[id]", "query": {"id": job["id"]}})


def generated(text: str) -> str:
    """A class name such as build tools make: the same for the same text."""
    return f"{crc32(text.encode()):x}"[:6]
