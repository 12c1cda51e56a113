"""Mutated pages: what servers, proxies and generators do to markup, and what they should not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.pages import listing

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

_FRAGMENTS = (
    b"<", b">", b"</", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<!DOCTYPE", b"<?", b"&", b"&#", b"&#xD800;",
    b"&#0;", b'"', b"'", b"=", b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"\x1b", b"\x0b", b"\xe2\x80\xa8", b"\xc2\xa0",
    b"<script>", b"</script>", b"<style>", b"<noscript>", b"<template>", b"<textarea>", b"<title>", b"<plaintext>",
    b"<html>", b"</html>", b"<head>", b"<body class=x>", b"</body>", b"<frameset>", b"<table><form><tr>", b"</p>",
    b"<form id=f><input type=hidden>", b"<input type=password form=f>", b"<select><option>", b"<svg:path/>",
    b"<a b\"c'd>", b"<base href=//b.example/>", b"<meta charset=utf-16>", b"<li class=item>", b"<div>" * 50,
    b"</div>" * 50, b" " * 300, b"<b>" * 2100,
)  # fmt: skip


def seed_page(rng: random.Random) -> bytes:
    """Return a page of records and boilerplate before its mutation."""
    return listing(rng.randrange(16)).encode()


def mutate(page: bytes, rng: random.Random, times: int | None = None) -> bytes:
    """Apply a few mutations to a page."""
    for _ in range(rng.randint(1, 8) if times is None else times):
        page = rng.choice(_MUTATIONS)(page, rng)[:200_000]
    return page


def _insert(page: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(page) + 1)
    return page[:place] + rng.choice(_FRAGMENTS) + page[place:]


def _delete(page: bytes, rng: random.Random) -> bytes:
    start, end = _slice(page, rng)
    return page[:start] + page[end:]


def _repeat(page: bytes, rng: random.Random) -> bytes:
    start, end = _slice(page, rng)
    return page[:end] + page[start:end] * rng.randint(1, 20) + page[end:]


def _swap(page: bytes, rng: random.Random) -> bytes:
    start, end = _slice(page, rng)
    place = rng.randrange(len(page) + 1)
    rest = page[:start] + page[end:]
    return rest[:place] + page[start:end] + rest[place:]


def _truncate(page: bytes, rng: random.Random) -> bytes:
    return page[: rng.randrange(len(page) + 1)]


def _flip(page: bytes, rng: random.Random) -> bytes:
    if not page:
        return page
    place = rng.randrange(len(page))
    return page[:place] + bytes([rng.randrange(256)]) + page[place + 1 :]


def _recode(page: bytes, rng: random.Random) -> bytes:
    encoding = rng.choice(("utf-16", "utf-32", "cp1252", "shift_jis", "utf-7"))
    return page.decode("utf-8", "replace").encode(encoding, "replace")


def _slice(page: bytes, rng: random.Random) -> tuple[int, int]:
    start = rng.randrange(len(page) + 1)
    return start, min(len(page), start + rng.randrange(400))


_MUTATIONS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _insert, _insert, _insert, _delete, _repeat, _swap, _truncate, _flip, _recode,
)  # fmt: skip
