"""Dialogs: those that close a page go, those within it stay when they hold content."""

from __future__ import annotations

from tests.engine.strategies.made import SENTENCE, kept, listing

TERMS = "".join(f"<p>{SENTENCE} These are terms, part {number}.</p>" for number in range(12))


def page(*parts: str) -> str:
    return f"<html><body><h1>A kettle</h1>{''.join(parts)}</body></html>"


DESCRIPTION = (
    f"<div class=about>{'<p>The kettle holds two litres and whistles when it boils.</p>' * 10}</div>"
)


def test_a_dialog_at_the_end_goes_although_it_holds_most_of_the_prose() -> None:
    html = kept(page(DESCRIPTION * 2, f'<div class="terms-modal">{TERMS}</div>'))
    assert "These are terms" not in html
    assert "whistles" in html


def test_several_dialogs_at_the_end_go() -> None:
    consent = f'<div role="dialog" aria-label="Cookies">{TERMS.replace("terms", "cookies")}</div>'
    html = kept(page(DESCRIPTION * 2, f'<div class="terms-modal">{TERMS}</div>', consent))
    assert "These are" not in html


def test_a_dialog_in_front_of_content_stays_when_it_holds_much_prose() -> None:
    assert "These are terms" in kept(page(f'<div class="modal">{TERMS}</div>', DESCRIPTION))


def test_a_page_that_is_a_dialog_stays() -> None:
    assert "These are terms" in kept(
        f'<html><body><div class="popup"><h1>Terms</h1>{TERMS}</div></body></html>'
    )
    assert "These are terms" in kept(f'<html><body><div class="popup">{TERMS}</div></body></html>')


def test_records_stay_when_a_dialog_follows_them() -> None:
    html = kept(listing().replace("</body>", f'<div class="modal">{TERMS}</div></body>'))
    assert all(f"record {number} alone" in html for number in range(12))
    assert "These are terms" not in html
