"""The native core works on large pages while other threads run."""

from __future__ import annotations

import sys
import threading
import time

import pytest

from scrapy_tps.engine import native
from scrapy_tps.engine.cutting import cut
from scrapy_tps.engine.html.document import parse
from scrapy_tps.engine.page_settings import PageSettings

pytestmark = pytest.mark.skipif(not native.AVAILABLE, reason=f"no native core: {native.REASON}")
ROWS = 30_000


@pytest.fixture
def other_thread():
    """Return how often another thread has run; Python itself takes no turns between threads meanwhile."""
    turns = [0]
    over = threading.Event()

    def run():
        while not over.is_set():
            turns[0] += 1
            time.sleep(0)

    interval = sys.getswitchinterval()
    thread = threading.Thread(target=run)
    thread.start()
    sys.setswitchinterval(10_000)
    try:
        yield lambda: turns[0]
    finally:
        sys.setswitchinterval(interval)
        over.set()
        thread.join()


def page(row):
    return parse("".join(row.format(number) for number in range(ROWS))).body


def walk():
    body = page("<p class=c{}>text")
    return lambda: native.walk(body)


def write():
    body = page("<p>text<b>more</b>")
    return lambda: native.write(body)


def cut_page():
    pages = [native.walk(page("<p>text<b>more</b>")) for _ in range(5)]
    masks = [bytearray(b"\1" * 10 + b"\0" * (len(one) - 10)) for one in pages]
    settings = PageSettings()
    return lambda: cut(pages.pop(), masks.pop(), settings)


@pytest.mark.parametrize("work", [walk, write, cut_page])
def test_other_threads_run_while_a_large_page_is_worked_on(work, other_thread):
    step = work()
    for _ in range(5 if work is cut_page else 500):
        before = other_thread()
        step()
        if other_thread() > before:
            return
    pytest.fail("no other thread ran")
