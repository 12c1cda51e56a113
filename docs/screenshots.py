"""Make the pictures of the documentation: ``python docs/screenshots.py [FOLDER]`` (default: docs/images).

Needs the extras ``report`` and ``test`` (Playwright) and an installed Chromium or Chrome. The pages are those of the
example project; nothing is fetched from the internet.
"""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
PROJECT = ROOT / "example_project"
SITE, PAGE = "shop.example", "/c/headphones"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-sync",
]


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        sys.exit(f"none of {', '.join(BROWSERS)} is on the path")
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        view, report = make_view(Path(scratch)), make_report(Path(scratch))
        for scheme in ("light", "dark"):
            page = browser.new_page(viewport={"width": 1280, "height": 1400}, color_scheme=scheme)
            shoot_view(page, view, folder / ("view.png" if scheme == "light" else "view-dark.png"))
            page.close()
        shoot_before_after(browser, view, folder / "before-after.png")
        page = browser.new_page(viewport={"width": 1280, "height": 1010})
        page.goto(report.as_uri())
        page.wait_for_selector("html[data-ready]")
        page.screenshot(path=folder / "report.png")
        browser.close()


def make_view(scratch: Path) -> Path:
    sys.path[:0] = [str(ROOT), str(PROJECT)]
    from demo.sites import SITES  # noqa: PLC0415

    from scrapy_tps import prune  # noqa: PLC0415
    from scrapy_tps.report.page_view import render_prunings, write_view  # noqa: PLC0415

    pruning = prune(SITES[SITE].page(PAGE, {}), url=f"http://{SITE}{PAGE}")
    return write_view(render_prunings([pruning], records=True), scratch / "view.html", browser=False)


def make_report(scratch: Path) -> Path:
    figures, report = scratch / "figures.sqlite", scratch / "report.html"
    settings = {"TPS_STATS_FILE": figures, "TPS_REPORT": report, "LOG_LEVEL": "ERROR"}
    options = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    subprocess.run(
        [sys.executable, "-m", "scrapy", "crawl", "demo", *options],
        cwd=PROJECT,
        env=os.environ | {"PYTHONPATH": paths},
        check=True,
    )
    return report


def open_view(page: Any, view: Path) -> None:
    page.goto(view.as_uri())
    page.wait_for_selector(".pane[data-ready]")


def shoot_view(page: Any, view: Path, target: Path) -> None:
    open_view(page, view)
    page.click("#records button[aria-pressed]")  # no boxes of records over those of regions
    # the border between removed and kept parts
    page.evaluate(
        """() => {
          const viewport = document.querySelector('.viewport');
          const heading = document.querySelector('iframe').contentDocument.querySelector('h1');
          document.querySelector('aside').scrollTop = 0;
          viewport.scrollTop = heading.getBoundingClientRect().top - viewport.clientHeight / 2;
        }"""
    )
    box = page.locator(".viewport").bounding_box()
    page.mouse.move(box["x"] + 80, box["y"] + 120)
    page.screenshot(path=target)


def shoot_before_after(browser: Any, view: Path, target: Path) -> None:
    page = browser.new_page(viewport={"width": 1500, "height": 1000})
    open_view(page, view)
    page.click("#records button[aria-pressed]")
    page.add_style_tag(
        content=".box, .badges { display: none } .stage { --left: 0px !important } "
        ".viewport { height: 760px !important }"
    )
    pictures = []
    for mode in ("original", "pruned"):
        page.click(f"[data-mode={mode}]")
        page.evaluate("() => document.querySelector('.viewport').scrollTo(0, 0)")
        picture = page.locator(".viewport").screenshot()
        pictures.append(f"data:image/png;base64,{base64.b64encode(picture).decode()}")
    page.set_viewport_size({"width": 1280, "height": 480})
    page.set_content(
        "<style>body { margin: 0; display: flex; gap: 16px; font: 600 15px sans-serif; background: #fff }"
        "figure { margin: 0; flex: 1 } img { width: 100%; box-sizing: border-box; border: 1px solid #bbb }</style>"
        f"<figure>As downloaded<img src='{pictures[0]}'></figure>"
        f"<figure>What the spider gets<img src='{pictures[1]}'></figure>"
    )
    page.locator("body").screenshot(path=target)
    page.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images")
