"""The vocabularies of links to the next and the previous page of a list, and of headings of related content, in the
languages of most of the web.

A list without page numbers has no other links to follow. A phrase of a heading is a run of words in it, possibly with
other words around it.
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
def label_words(text: str) -> str:
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


_PHRASES: Final = (
    # English
    "may also like|might also like|could also like|you also like|you'll also like|will also like|people also like|"
    "customers also like|readers also like|may also love|might also love|you'll also love|may also enjoy|"
    "might also enjoy|you'll also enjoy|also liked|also bought|also viewed|also purchased|also enjoyed|also watched|"
    "you may like|you might like|you will like|you'll like|you'll love|you may enjoy|you might enjoy|you'll enjoy|"
    "you may love|you might love|be interested in|may interest you|might interest you|more like this|read next|"
    "read this next|read these next|watch next|read also|also read|similar posts|similar articles|"
    "similar stories|similar products|similar items|similar recipes|similar videos|similar news|similar jobs|"
    "similar listings|similar properties|similar topics|similar threads|similar books|similar games|related posts|"
    "related articles|related article|related stories|related story|related products|related recipes|"
    "related content|related news|related videos|related coverage|related blogs|related blog posts|"
    "related searches|more articles like this|more posts like this|"
    "recommended for you|recommended articles|recommended stories|recommended posts|"
    "recommended recipes|"
    # German
    "das könnte auch|könnte dich|könnte dir|könnte sie|könnte ihnen|könnten dich|könnten sie|"
    "ähnliche artikel|ähnliche beiträge|ähnliche produkte|ähnliche rezepte|ähnliche anzeigen|ähnliche angebote|"
    "auch interessant|auch interessieren|auch gefallen|auch schmecken|lesen sie auch|lies auch|mehr zum thema|"
    "passend zum artikel|passend zum thema|kunden kauften auch|kauften auch|"
    # French
    "vous aimerez|aimerez aussi|allez adorer|allez aimer|pourrait vous plaire|pourraient vous plaire|"
    "vous plaire|peut vous intéresser|peuvent vous intéresser|pourraient vous intéresser|"
    "pourrait vous intéresser|lire aussi|voir aussi|articles similaires|articles liés|articles connexes|"
    "produits similaires|produits associés|recettes similaires|sur le même sujet|sur le même thème|"
    # Spanish
    "te puede interesar|te puede gustar|te podría interesar|te podría gustar|te pueden interesar|"
    "le puede interesar|podría interesarte|puede interesarte|pueden interesarte|podría gustarte|pueden gustarte|"
    "artículos relacionados|noticias relacionadas|productos relacionados|recetas relacionadas|"
    "entradas relacionadas|contenido relacionado|productos similares|artículos similares|recetas similares|"
    "lee también|"
    # Portuguese
    "pode gostar|podem gostar|pode interessar|pode te interessar|leia também|artigos relacionados|"
    "notícias relacionadas|produtos relacionados|receitas relacionadas|posts relacionados|produtos similares|"
    "conteúdo relacionado|matérias relacionadas|"
    # Italian
    "potrebbe interessarti|potrebbero interessarti|potrebbe piacerti|potrebbero piacerti|"
    "leggi anche|articoli correlati|prodotti correlati|ricette correlate|articoli simili|"
    "prodotti simili|ricette simili|"
    # Dutch
    "vind je misschien ook|vind je ook|misschien ook leuk|ook interessant|lees ook|bekijk ook|"
    "gerelateerde artikelen|gerelateerde berichten|gerelateerde producten|gerelateerde recepten|"
    "vergelijkbare producten|anderen bekeken ook|anderen kochten ook|"
    # Polish, Czech, Slovak
    "podobne produkty|podobne artykuły|podobne wpisy|podobne przepisy|podobne oferty|zobacz też|zobacz także|"
    "zobacz również|przeczytaj też|przeczytaj także|przeczytaj również|może cię zainteresować|powiązane artykuły|"
    "powiązane wpisy|powiązane produkty|mohlo by vás|mohlo vás|přečtěte si|prečítajte si|podobné recepty|"
    "podobné produkty|podobné články|související články|související produkty|súvisiace články|návrhy pro vás|"
    # Swedish, Danish, Norwegian
    "du kanske gillar|kanske gillar du|du kanske också|läs också|läs även|liknande produkter|liknande artiklar|"
    "liknande recept|relaterade produkter|relaterade artiklar|også kan li|også kan lide|også lide|"
    "du kan lide|måske også|kanskje også|læs også|relaterede artikler|"
    "relaterede produkter|lignende produkter|les også|relaterte artikler|relaterte produkter|"
    # Russian, Ukrainian
    "похожие товары|похожие статьи|похожие новости|похожие рецепты|похожие объявления|может понравиться|"
    "может заинтересовать|могут понравиться|также понравится|читайте также|смотрите также|"
    "с этим товаром|материалы по теме|новости по теме|читайте також|схожі товари|"
    # Turkish, Hungarian, Romanian, Greek
    "ilgili haberler|ilgili ürünler|ilgili yazılar|benzer ürünler|benzer haberler|ilginizi çekebilir|"
    "ezek is érdekelhetik|kapcsolódó cikkek|kapcsolódó termékek|hasonló termékek|hasonló receptek|"
    "te-ar putea interesa|articole similare|produse similare|σχετικά άρθρα|σχετικά προϊόντα"
)
#: Languages without spaces between words.
_UNSPACED: Final = re.compile(
    "関連(?:記事|商品|レシピ|ニュース)|こちらもおすすめ|この(?:商品|記事)を(?:見|買|チェック|読)|相关(?:文章|产品|商品|推荐|阅读|新闻)|"
    "猜你喜欢|你可能(?:还|也)?(?:喜欢|感兴趣)|相關(?:文章|新聞|商品)|你可能(?:也)?(?:喜歡|感興趣)|관련\\s?(?:기사|상품|뉴스)|추천\\s?상품"
)
_SPOKEN: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def _by_last_word() -> dict[str, tuple[tuple[str, ...], ...]]:
    found: dict[str, list[tuple[str, ...]]] = {}
    for phrase in _PHRASES.split("|"):
        *before, last = phrase.split()
        found.setdefault(last, []).append(tuple(before))
    return {last: tuple(before) for last, before in found.items()}


_BEFORE: Final = _by_last_word()
#: One of these is in each heading that speaks of related content in words of ASCII letters.
TELLING_WORDS: Final = frozenset(filter(str.isascii, _BEFORE))


@remembered
def speaks_of_related(heading: str) -> bool:
    """Whether a heading announces other content that may interest the reader."""
    words = tuple(_SPOKEN.findall(heading.replace("’", "'").casefold()))
    for place, word in enumerate(words):
        if word in _BEFORE and any(words[:place][-len(before) :] == before for before in _BEFORE[word]):
            return True
    return not heading.isascii() and _UNSPACED.search(heading) is not None
