"""Contents in scripts other than Latin, and the sites around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .page import Content, Page
from .text import hashed

if TYPE_CHECKING:
    from random import Random


@dataclass(frozen=True)
class Language:
    """Words of one language; a title is a quality and a thing, sentences take both."""

    code: str
    direction: str
    things: tuple[str, ...]
    titles: tuple[str, ...]
    sentences: tuple[str, ...]
    menu: tuple[str, ...]
    legal: str
    cookies: str
    following: str

    def title(self, r: Random) -> str:
        return r.choice(self.titles).format(t=r.choice(self.things), n=r.randrange(2, 99))

    def text(self, r: Random, count: int = 3) -> str:
        return "".join(
            r.choice(self.sentences).format(t=r.choice(self.things), n=r.randrange(12, 980))
            for _ in range(count)
        ).strip()


ARABIC = Language(
    "ar",
    "rtl",
    ("السفينة", "الفانوس", "الساعة", "البئر", "المطحنة", "النول", "الجسر", "الميناء"),
    ("قصة {t} القديمة ({n})", "كيف عادت {t} إلى العمل بعد {n} عاما", "دليل إصلاح {t} في {n} خطوة"),
    (
        "وقد عثر السكان على {t} في مخزن مهجور بعد {n} عاما من الإهمال. ",
        "يقول الحرفيون إن {t} تحتاج إلى قليل من الزيت وكثير من الصبر. ",
        "بلغ عدد الزوار {n} زائرا في الأسبوع الأول، وجاء معظمهم لرؤية {t}. ",
        "لا أحد يتذكر من صنع {t}، لكن علامته ما زالت واضحة على المقبض. ",
    ),
    ("الرئيسية", "أخبار", "ثقافة", "رياضة", "اقتصاد", "صور", "رأي", "اتصل بنا", "من نحن", "خريطة الموقع"),
    "جميع الحقوق محفوظة لصحيفة المرفأ، ولا يجوز النقل دون إذن مكتوب من الإدارة",
    "نستخدم ملفات تعريف الارتباط لتحسين تجربتك وقياس عدد الزيارات، ويمكنك تغيير رأيك في أي وقت",
    "الصفحة التالية",
)
HEBREW = Language(
    "he",
    "rtl",
    ("המגדלור", "הטחנה", "השעון", "הסירה", "הבאר", "הנול", "הגשר", "הכבשן"),
    ("{t} הישן חוזר לפעול אחרי {n} שנה", "מי תיקן את {t}? {n} עדויות", "מסע אל {t} ב-{n} תחנות"),
    (
        "לפי הרישומים נבנה {t} בידי {n} פועלים בתוך עונה אחת בלבד. ",
        "מי שביקר כאן בחורף יודע ששום דבר לא נשמע כמו {t} בלילה סוער. ",
        "הוועד המקומי הקצה {n} אלף שקלים לשיפוץ, והעבודה תתחיל באביב. ",
        "התושבים מספרים כי {t} עמד ריק שנים ארוכות ואיש לא העז להיכנס. ",
    ),
    ("ראשי", "חדשות", "תרבות", "ספורט", "כלכלה", "דעות", "צור קשר", "אודות", "מפת אתר", "ארכיון"),
    "כל הזכויות שמורות לעיתון החוף, אין להעתיק ללא רשות בכתב מן המערכת",
    "אתר זה משתמש בעוגיות כדי לזכור את העדפותיך ולמדוד את מספר המבקרים בו",
    "לעמוד הבא",
)
CHINESE = Language(
    "zh",
    "ltr",
    ("水车", "灯塔", "古钟", "石桥", "织机", "渡船", "磨坊", "竹篮"),
    ("老{t}修复后重新开放,首日接待{n}人", "关于{t}保护工作的第{n}号通知", "记者探访{n}岁的{t}"),
    (
        "据当地居民介绍,这座{t}已经有{n}年的历史,至今仍在使用。",
        "修复工程历时{n}天,工匠们坚持使用传统材料和传统工艺。",
        "有关部门表示,今后将定期检查{t}的状况,并向公众公布结果。",
        "每逢周末,不少家庭带着孩子前来参观,{t}周围十分热闹。",
    ),
    ("首页", "要闻", "地方", "文化", "体育", "财经", "图片", "视频", "专题", "评论", "联系我们", "网站地图"),
    "版权所有,未经书面授权不得转载,互联网新闻信息服务许可证编号一二三四五六",
    "本网站使用缓存文件记录您的偏好设置,继续浏览即表示您同意我们的隐私政策",
    "下一页",
)
JAPANESE = Language(
    "ja",
    "ltr",
    ("鉄瓶", "行灯", "柱時計", "桐箱", "竹籠", "蕎麦猪口", "火鉢", "硯"),
    ("手作りの{t} 第{n}番", "職人が仕上げた{t}({n}個限定)", "{n}年前の{t} 修理済み"),
    (
        "この{t}は山あいの小さな工房で{n}日かけて作られました。",
        "使い込むほどに味わいが増し、{t}らしい艶が出てまいります。",
        "お手入れは乾いた布で拭くだけで十分です。",
        "発送までに{n}日ほどいただくことがございます。",
    ),
    (
        "ホーム",
        "新着商品",
        "ランキング",
        "特集",
        "ギフト",
        "店舗案内",
        "お問い合わせ",
        "会社概要",
        "ご利用ガイド",
        "送料について",
    ),
    "当店に掲載されている写真および文章の無断転載は固くお断りいたします",
    "当サイトではサービス向上のためクッキーを使用しております。詳しくは個人情報保護方針をご覧ください",
    "次のページへ",
)
KOREAN = Language(
    "ko",
    "ltr",
    ("등대", "물레방아", "나룻배", "옹기", "베틀", "돌다리", "괘종시계", "우물"),
    ("{t} 수리 방법 질문드립니다 ({n})", "{n}년 된 {t} 사진 올립니다", "{t} 보러 다녀온 후기 {n}편"),
    (
        "지난 주말에 {t}을 보러 갔다가 {n}장쯤 사진을 찍었습니다. ",
        "할아버지께서 쓰시던 {t}인데 아직도 멀쩡하게 돌아갑니다. ",
        "혹시 {t} 부품을 구할 수 있는 곳을 아시는 분 계신가요? ",
        "가격은 {n}천 원 정도였고 상태는 생각보다 훨씬 좋았습니다. ",
    ),
    (
        "홈",
        "자유게시판",
        "질문답변",
        "사진",
        "장터",
        "공지사항",
        "가입인사",
        "출석부",
        "운영자에게",
        "이용약관",
    ),
    "본 게시판의 모든 글은 작성자에게 저작권이 있으며 무단 전재를 금합니다",
    "이 사이트는 로그인 유지를 위해 쿠키를 사용합니다. 계속 이용하시면 동의하는 것으로 봅니다",
    "다음 페이지",
)
RUSSIAN = Language(
    "ru",
    "ltr",
    ("лодку", "самовар", "верстак", "патефон", "фонарь", "якорь", "сундук", "хомут"),
    ("Продам старинную {t}, лот {n}", "Отдам {t} в хорошие руки ({n})", "Куплю {t} до {n} тысяч"),
    (
        "Состояние хорошее, {t} хранили в сухом месте больше {n} лет. ",
        "Возможен обмен на {t} или на дрова, самовывоз в выходные. ",
        "Звонить после шести вечера, торг уместен при осмотре. ",
        "К вещи прилагается чертеж и письмо прежнего хозяина, {n} страниц. ",
    ),
    (
        "Главная",
        "Объявления",
        "Работа",
        "Жильё",
        "Транспорт",
        "Животные",
        "Услуги",
        "Помощь",
        "Правила",
        "Реклама",
    ),
    "Администрация не отвечает за содержание объявлений, все права защищены законом",
    "Сайт использует файлы cookie, чтобы помнить ваши настройки и считать посетителей",
    "Следующая страница",
)


def shell(r: Random, language: Language, content: Content) -> Page:
    """Header with a menu, side list of links, footer, cookie notice; direction as the language has it."""
    menu = "".join(f'<li><a href="/{hashed(r, 4)}">{text}</a></li>' for text in language.menu)
    side = "".join(f'<li><a href="/{hashed(r, 4)}">{language.title(r)}</a></li>' for _ in range(8))
    html = f"""<!DOCTYPE html>
<html lang="{language.code}" dir="{language.direction}"><head><meta charset="{content.encoding}"><title>{content.title}</title></head><body>
<div class="header"><ul class="menu">{menu}</ul></div>
<div class="content-wrap"><div class="main-col">{content.html}</div><div class="side-col"><ul class="side-list">{side}</ul></div></div>
<div class="footer"><ul class="links">{menu}</ul><p>{language.legal}</p></div>
<div class="cookie-notice" id="cookie-notice">{language.cookies}</div></body></html>"""
    content.stay.append(content.title)
    return Page(html, content, [language.legal, language.cookies])


def dated_links(r: Random, language: Language, count: int = 24) -> Page:
    """A list of headlines with dates: records of one short line each."""
    head, records, items = language.title(r), [], []
    for _ in range(count):
        name, when = language.title(r), f"2026-{r.randrange(1, 12):02}-{r.randrange(1, 29):02}"
        records.append([name, when])
        items.append(
            f'<li><span class="date">{when}</span><a href="/n/{hashed(r)}.html" title="{name}">{name}</a></li>'
        )
    html = f'<h1>{head}</h1><ul class="news-list">{"".join(items)}</ul><div class="pages"><a rel="next" href="?p=2">{language.following}</a></div>'
    return shell(
        r, language, Content(head, html, "//ul[@class='news-list']/li", records, [language.following])
    )


def cards(r: Random, language: Language, count: int = 12, encoding: str = "utf-8") -> Page:
    """Cards with a picture, a title, a text and a price."""
    head, records, items = language.title(r), [], []
    for n in range(count):
        name, text, cost = language.title(r), language.text(r, 2), f"{r.randrange(5, 900)}{n:02}"
        records.append([name, text, cost])
        items.append(
            f'<div class="item" id="i{n}"><a href="/i/{n}"><img src="/{n}.jpg" alt=""></a><h3><a href="/i/{n}">{name}</a></h3><p>{text}</p><b class="cost">{cost}</b></div>'
        )
    html = f'<h1>{head}</h1><div class="items">{"".join(items)}</div><a class="next" rel="next" href="?p=2">{language.following}</a>'
    content = Content(head, html, "//div[@class='item']", records, [language.following], encoding=encoding)
    return shell(r, language, content)


def story(r: Random, language: Language, paragraphs: int = 8) -> Page:
    """An article."""
    head, texts = language.title(r), [language.text(r, 4) for _ in range(paragraphs)]
    html = f'<div class="story"><h1>{head}</h1>{"".join(f"<p>{text}</p>" for text in texts)}</div>'
    return shell(
        r,
        language,
        Content(head, html, "//div[@class='story']/p", [[text] for text in texts], kind="article"),
    )


def board(r: Random, language: Language, count: int = 16) -> Page:
    """A message board as a table."""
    head, records, rows = language.title(r), [], []
    for n in range(count):
        name, by = language.title(r), hashed(r, 7)
        records.append([name, by])
        rows.append(
            f'<tr><td class="no">{9000 - n}</td><td class="subject"><a href="/b/{n}">{name}</a> [{r.randrange(0, 30)}]</td><td>{by}</td><td>{r.randrange(5, 4000)}</td></tr>'
        )
    html = f'<h2>{head}</h2><table class="board"><tbody>{"".join(rows)}</tbody></table>'
    return shell(r, language, Content(head, html, "//table[@class='board']/tbody/tr", records, kind="thread"))
