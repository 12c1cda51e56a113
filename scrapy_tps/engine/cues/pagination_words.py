"""The vocabulary of links to the next and the previous page of a list: words in the languages of most of the web, and
class names.

A list without page numbers has no other links to follow.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from scrapy_tps.engine.bounded_cache import remembered

_NEXT: Final = (
    "next|next page|go to next page|go to the next page|older|older posts|older entries|older articles|"
    "more results|show more results|load more|load more results|siguiente|siguientes|página siguiente|"
    "próxima|próximo|próxima página|seguinte|cargar más|carregar mais|suivant|suivante|suivants|"
    "page suivante|charger plus|weiter|nächste|nächste seite|vor|mehr laden|avanti|successiva|successivo|"
    "pagina successiva|volgende|volgende pagina|nästa|nästa sida|næste|næste side|neste|neste side|"
    "seuraava|seuraava sivu|następna|następny|następna strona|dalej|další|další stránka|následující|"
    "ďalšia|ďalej|következő|következő oldal|următoarea|următorul|pagina următoare|следующая|"
    "следующая страница|следующий|вперёд|вперед|далее|показать ещё|показать еще|загрузить ещё|наступна|"
    "далі|следваща|следећа|sonraki|sonraki sayfa|ileri|επόμενη|επόμενο|"
    "下一页|下一頁|下页|后页|加载更多|次へ|次のページ|次ページ|"
    "다음|다음 페이지|التالي|الصفحة التالية|הבא|הדף הבא|ถัดไป|หน้าถัดไป|trang sau|tiếp|tiếp theo|trang tiếp|"
    "berikutnya|selanjutnya|अगला|بعدی|صفحه بعد"
)
_PREVIOUS: Final = (
    "previous|previous page|go to previous page|go to the previous page|prev|newer|newer posts|"
    "newer entries|newer articles|anterior|página anterior|précédent|précédente|page précédente|"
    "vorherige|vorherige seite|precedente|pagina precedente|vorige|vorige pagina|föregående|"
    "föregående sida|forrige|forrige side|edellinen|poprzednia|poprzedni|poprzednia strona|předchozí|"
    "előző|anteriorul|предыдущая|предыдущая страница|попередня|önceki|önceki sayfa|προηγούμενη|上一页|"
    "上一頁|上页|前页|前へ|前のページ|이전|이전 페이지|السابق|הקודם|ก่อนหน้า|trang trước|sebelumnya|قبلی"
)
_FORWARD: Final = frozenset({">", ">>", "»", "›", "→", "⟩", "▶", "❯"})
_BACK: Final = frozenset({"<", "<<", "«", "‹", "←", "⟨", "◀", "❮"})
#: Texts of links to the next page, without arrows around them, unless there are only arrows.
NEXT_WORDS: Final = frozenset(_NEXT.split("|")) | _FORWARD
#: Texts of links to the next and the previous page.
PAGINATION_WORDS: Final = NEXT_WORDS | frozenset(_PREVIOUS.split("|")) | _BACK
_MORE: Final = (
    "more|show more|see more|view more|más|ver más|mostrar más|mais|ver mais|mostrar mais|plus|voir plus|"
    "afficher plus|mehr|mehr anzeigen|altro|mostra altro|meer|meer laden|visa fler|vis flere|"
    "więcej|pokaż więcej|ещё|еще|daha fazla|もっと見る|更多|查看更多|더보기"
)
#: Texts of links and buttons that load the next page below this one, if an attribute names what they load; others open
#: hidden content.
MORE_WORDS: Final = frozenset(_MORE.split("|"))
#: Signs to ignore around these texts.
AROUND: Final = " .…|[](){}:-–—" + "".join(sorted(frozenset().union(*_FORWARD, *_BACK)))
#: A number after the word ("Next 20 matches"), unless a word of time follows.
_COUNTED: Final = re.compile(
    "(next|previous|prev|nächste|vorherige|volgende|vorige) [0-9]{1,4}"
    "(?: (?:results|matches|hits|items|articles|entries|records|posts|messages|documents|products|pages))?"
)
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_NEXT_NAMES: Final = frozenset(["next", "nextpage", "nextlink", "nextposts", "nextpostslink", "older"])
_NAMES: Final = _NEXT_NAMES | {"prev", "previous", "prevpage", "loadmore"}
#: Each class name contains one of these, and so does "load more".
_TELLING: Final = ("next", "prev", "older", "load")
#: Other things with a next and a previous one: slides, pictures, months, steps of an order.
_OTHER_NAMES: Final = (
    "slick|slide|slider|slides|slideshow|swiper|carousel|gallery|glide|splide|flickity|owl|bx|"
    "month|week|day|step"
)
_OTHERS: Final = frozenset(_OTHER_NAMES.split("|"))


@remembered
def words_of(text: str) -> str:
    """Return the words of a text or label: in lower case, without arrows around them, unless there are only arrows.

    For "next 20", "previous 20" and similar texts only the first word is returned.
    """
    said = " ".join(text.lower().split())
    said = said.strip(AROUND) or said
    counted = _COUNTED.fullmatch(said)
    return counted[1] if counted else said


@remembered
def names_pagination(names: str) -> bool:
    """Whether class names and ids call an element a link to the next or the previous page."""
    lowered = names.lower()
    if not any(map(lowered.__contains__, _TELLING)):
        return False  # nearly all; splitting them would take twenty times as long
    parts = [part.lower() for part in _WORD.findall(names)]
    if not _OTHERS.isdisjoint(parts):
        return False
    return not _NAMES.isdisjoint(parts) or any(
        (one, other) == ("load", "more") for one, other in pairwise(parts)
    )


def names_next(names: str) -> bool:
    """Whether class names and ids call an element a link to the next page."""
    return names_pagination(names) and not _NEXT_NAMES.isdisjoint(map(str.lower, _WORD.findall(names)))
