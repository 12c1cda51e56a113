"""Sites: the header, menus, boxes and footers around a content, each in the style of one time or tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .page import Content, Page
from .text import PEOPLE, PLACES, THINGS, day, hashed, paragraph, phrase, sentence

if TYPE_CHECKING:
    from random import Random


def _links(r: Random, count: int, template: str = '<li><a href="/{slug}">{text}</a></li>') -> str:
    texts = [phrase(r) for _ in range(count)]
    return "\n".join(template.format(slug=text.lower().replace(" ", "-"), text=text) for text in texts)


def semantic(r: Random, content: Content) -> Page:
    """HTML5 elements, utility classes, mega-menu, consent dialog, newsletter form."""
    notice = f"We and our {r.randrange(90, 900)} partners keep small files on your device. {sentence(r)}"
    letter, legal = sentence(r), f"© 2026 {r.choice(PLACES)} Trading Company. {sentence(r)}"
    departments = "".join(
        f'<li class="group"><a class="px-3 py-2 font-semibold" href="/{thing}s">{thing.capitalize()}s</a>'
        f'<div class="invisible absolute grid grid-cols-4 group-hover:visible"><ul>{_links(r, 12)}</ul>'
        f"<ul>{_links(r, 12)}</ul><ul>{_links(r, 12)}</ul></div></li>"
        for thing in r.sample(THINGS, 7)
    )
    html = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{content.title}</title>
<script type="application/ld+json">{{"@context": "https://schema.org", "@type": "WebPage"}}</script>
<style>.grid{{display:grid}}</style></head>
<body class="min-h-screen bg-white text-gray-900">
<div role="dialog" aria-label="Consent" class="fixed bottom-0 w-full p-6 shadow"><p>{notice}</p>
<form method="post"><input type="hidden" name="token" value="{hashed(r, 12)}"><button>Agree</button><button>Decline</button></form></div>
<header class="border-b"><a class="text-2xl" href="/">{r.choice(PLACES)}</a>
<form role="search"><input name="q" type="search"></form><nav aria-label="Main"><ul class="flex">{departments}</ul></nav></header>
<main class="mx-auto max-w-7xl px-4"><nav aria-label="Breadcrumb"><ol><li><a href="/">Home</a></li><li>{content.title}</li></ol></nav>
{content.html}
</main>
<section class="bg-gray-100 py-12"><h2>Letters</h2><p>{letter}</p>
<form method="post"><input type="hidden" name="csrf" value="{hashed(r, 12)}"><input type="email"><button>Subscribe</button></form></section>
<footer class="bg-gray-900 text-gray-100"><ul class="columns-4">{_links(r, 90)}</ul><p>{legal}</p></footer>
</body></html>"""
    return Page(html, content, [notice, letter, legal])


def utility_soup(r: Random, content: Content) -> Page:
    """Nothing but div and span with utility classes; menu, filters and footer have no name of their own."""
    notice, legal, teaser = sentence(r), sentence(r), sentence(r)
    menu = _links(r, 60, '<div class="px-2 py-1 text-sm hover:bg-gray-50"><a href="/{slug}">{text}</a></div>')
    facets = _links(
        r,
        30,
        '<div class="flex items-center"><span class="w-4 h-4 border"></span><a href="?f={slug}">{text}</a></div>',
    )
    footer = _links(r, 70, '<div class="w-1/4 text-xs"><a href="/{slug}">{text}</a></div>')
    html = f"""<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>{content.title}</title></head><body class="m-0 font-sans">
<div class="flex flex-col"><div class="h-8 bg-yellow-200 text-center text-xs">{notice}</div>
<div class="flex justify-between px-8 py-4"><div class="text-xl"><a href="/">{r.choice(PLACES)}</a></div><div class="flex gap-4">{menu}</div></div>
<div class="flex"><div class="w-64 p-4"><div class="text-sm font-bold">Narrow down</div>{facets}</div>
<div class="flex-1 p-4">{content.html}</div></div>
<div class="bg-blue-50 p-8 text-center"><div class="text-lg">{teaser}</div><div class="rounded bg-blue-600 p-2"><a href="/app">Get the app</a></div></div>
<div class="flex flex-wrap p-8">{footer}</div><div class="p-2 text-xs text-gray-400">{legal}</div></div>
</body></html>"""
    return Page(html, content, [notice, teaser, legal])


def tables(r: Random, content: Content) -> Page:
    """A layout of tables as around 2000: no class, no id, font elements, menu in the left cell."""
    legal, tip = sentence(r), sentence(r)
    menu = _links(
        r,
        28,
        '<tr><td bgcolor="#eeeecc"><font face="Arial" size="2"><a href="/{slug}.html">{text}</a></font></td></tr>',
    )
    top = _links(r, 9, '<a href="/{slug}.html"><font color="#ffffff" size="2">{text}</font></a> |')
    html = f"""<HTML><HEAD><TITLE>{content.title}</TITLE></HEAD>
<BODY BGCOLOR="#FFFFFF" LINK="#0000CC"><TABLE WIDTH="760" BORDER="0" CELLPADDING="2" CELLSPACING="0" ALIGN="center">
<TR><TD COLSPAN="3" BGCOLOR="#003366"><FONT SIZE="6" COLOR="#FFFFFF">{r.choice(PLACES)} Online</FONT></TD></TR>
<TR><TD COLSPAN="3" BGCOLOR="#336699">{top}</TD></TR>
<TR VALIGN="top"><TD WIDTH="150"><TABLE BORDER="0">{menu}</TABLE></TD>
<TD WIDTH="460">{content.html}</TD>
<TD WIDTH="150"><FONT SIZE="2"><B>Tip of the day</B><BR>{tip}</FONT></TD></TR>
<TR><TD COLSPAN="3" BGCOLOR="#CCCCCC"><FONT SIZE="1">{legal} Best viewed at 800 by 600.</FONT></TD></TR>
</TABLE></BODY></HTML>"""
    return Page(html, content, [tip, legal])


def bootstrap(r: Random, content: Content) -> Page:
    """Grid classes, navbar with dropdowns, sidebar of panels, modals at the end."""
    panel, modal, foot, cookie = sentence(r), paragraph(r, 2), sentence(r), sentence(r)
    html = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{content.title}</title></head><body>
<div class="cookie-banner alert alert-info" id="cookie-law"><p>{cookie}</p><a class="btn btn-primary">OK</a></div>
<nav class="navbar navbar-default navbar-fixed-top" role="navigation"><div class="container"><a class="navbar-brand" href="/">{r.choice(PLACES)}</a>
<ul class="nav navbar-nav">{_links(r, 8)}<li class="dropdown"><a>More</a><ul class="dropdown-menu">{_links(r, 30)}</ul></li></ul></div></nav>
<div class="container"><ol class="breadcrumb"><li><a href="/">Start</a></li><li class="active">{content.title}</li></ol>
<div class="row"><div class="col-md-8">{content.html}</div>
<div class="col-md-4 sidebar"><div class="panel panel-default"><div class="panel-heading">About us</div><div class="panel-body">{panel}</div></div>
<div class="panel panel-default"><div class="panel-heading">Elsewhere</div><ul class="list-group">{_links(r, 12)}</ul></div></div></div></div>
<footer class="footer"><div class="container"><ul class="list-inline">{_links(r, 24)}</ul><p class="text-muted">{foot}</p></div></footer>
<div class="modal fade" id="login" tabindex="-1" role="dialog" aria-hidden="true"><div class="modal-dialog"><div class="modal-content"><h4>Log in</h4><p>{modal}</p>
<form method="post" action="/login"><input type="hidden" name="authenticity_token" value="{hashed(r, 16)}"><input name="user"><input type="password" name="password"><button>Log in</button></form></div></div></div>
</body></html>"""
    return Page(html, content, [panel, modal, foot, cookie])


def hashed_classes(r: Random, content: Content) -> Page:
    """A single-page application rendered on a server: class names without meaning, made anew everywhere."""
    consent, promo, foot = paragraph(r, 2), sentence(r), sentence(r)
    link = '<a class="css-{{cls}}" href="/{slug}"><span>{text}</span></a>'

    def links(count: int) -> str:
        return "".join(part.replace("{cls}", hashed(r)) for part in _links(r, count, link).splitlines())

    html = f"""<!DOCTYPE html><html lang="en"><head><meta charSet="utf-8"/><title>{content.title}</title><style data-emotion="css"></style></head>
<body><div id="__next"><div class="css-{hashed(r)}"><div class="css-{hashed(r)}"><div class="css-{hashed(r)}">{links(36)}</div></div>
<div class="css-{hashed(r)}" style="min-height:100vh">{content.html}</div>
<div class="css-{hashed(r)}"><div class="css-{hashed(r)}"><p class="css-{hashed(r)}">{promo}</p></div><div class="css-{hashed(r)}">{links(48)}</div><p>{foot}</p></div></div></div>
<div id="onetrust-consent-sdk"><div id="onetrust-banner-sdk" role="alertdialog"><p>{consent}</p><button>Accept all</button></div></div>
<script id="__NEXT_DATA__" type="application/json">{{"props":{{"page":"{hashed(r)}"}}}}</script></body></html>"""
    return Page(html, content, [consent, promo, foot])


def one_form(r: Random, content: Content) -> Page:
    """One form around the whole page with its state in a hidden field, as ASP.NET writes it."""
    welcome, foot = sentence(r), sentence(r)
    nodes = _links(
        r,
        26,
        '<div class="AspNet-TreeView-Leaf"><a id="ctl00_Tree_{slug}" href="/{slug}.aspx">{text}</a></div>',
    )
    html = f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{content.title}</title></head><body>
<form name="aspnetForm" method="post" action="Default.aspx" id="aspnetForm"><div>
<input type="hidden" name="__VIEWSTATE" id="__VIEWSTATE" value="/wEPDwUK{hashed(r, 400)}" />
<input type="hidden" name="__EVENTVALIDATION" value="/wEW{hashed(r, 80)}" /></div>
<div id="ctl00_Header"><h2><a href="/">{r.choice(PLACES)} District</a></h2><span id="ctl00_lblWelcome">{welcome}</span>
<select name="ctl00$ddlLanguage"><option>English</option><option>Cymraeg</option></select></div>
<table width="100%"><tr><td valign="top" id="ctl00_Left">{nodes}</td><td valign="top"><div id="ctl00_ContentPlaceHolder1">{content.html}</div></td></tr></table>
<div id="ctl00_Foot"><span id="ctl00_lblFoot">{foot}</span> <a href="/access.aspx">Accessibility</a> <a href="/sitemap.aspx">Site map</a></div>
</form></body></html>"""
    return Page(html, content, [welcome, foot])


def weblog(r: Random, content: Content) -> Page:
    """Theme of a weblog: masthead, widgets in a sidebar, comment form, footer widgets."""
    about, foot, banner = sentence(r), sentence(r), sentence(r)
    recent = "".join(f"<li>{r.choice(PEOPLE)} on <a href='/p'>{phrase(r)}</a></li>" for _ in range(8))
    html = f"""<!DOCTYPE html>
<html lang="en-GB"><head><meta charset="UTF-8"><title>{content.title}</title><link rel="canonical" href="https://blog.example/p"></head>
<body class="wp-singular single single-post postid-{r.randrange(100, 9999)} wp-theme-reed">
<div id="page" class="site"><header id="masthead" class="site-header"><p class="site-title"><a href="/">{phrase(r)}</a></p>
<nav id="site-navigation" class="main-navigation"><ul id="menu-main" class="menu">{_links(r, 14)}</ul></nav></header>
<div id="content" class="site-content"><div id="primary" class="content-area">{content.html}</div>
<aside id="secondary" class="widget-area"><section class="widget widget_text"><h2 class="widget-title">About</h2><p>{about}</p></section>
<section class="widget widget_recent_comments"><h2 class="widget-title">Recent comments</h2><ul>{recent}</ul></section>
<section class="widget widget_archive"><h2 class="widget-title">Archives</h2><ul>{_links(r, 30)}</ul></section></aside></div>
<footer id="colophon" class="site-footer"><div class="site-info">{foot}</div></footer></div>
<div id="cmplz-cookiebanner" class="cmplz-cookiebanner banner-1" role="dialog" aria-live="polite">{banner}<button>Accept</button></div>
</body></html>"""
    return Page(html, content, [about, foot, banner])


def consent_wall(r: Random, content: Content) -> Page:
    """A consent platform with more text than the page: purposes, vendors, legal bases."""
    purposes = [paragraph(r, 3) for _ in range(7)]
    vendors = "".join(
        f'<li class="cmp-vendor"><label><input type="checkbox"> {r.choice(PLACES)} {r.choice(THINGS).capitalize()} GmbH</label>'
        f'<span class="cmp-retention">{r.randrange(1, 700)} days</span></li>'
        for _ in range(120)
    )
    wall = "".join(
        f'<div class="cmp-purpose"><h3>Purpose {n}</h3><p>{text}</p></div>'
        for n, text in enumerate(purposes, 1)
    )
    foot = sentence(r)
    html = f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{content.title}</title></head>
<body class="cmp-open" style="overflow:hidden"><div id="usercentrics-root" class="cmp-overlay" role="dialog" aria-modal="true" aria-label="Privacy settings">
<div class="cmp-body"><h2>We value your privacy</h2>{wall}<ul class="cmp-vendors">{vendors}</ul><button>Accept all</button></div></div>
<div class="topbar"><a href="/">{r.choice(PLACES)}</a> {_links(r, 10, '<a href="/{slug}">{text}</a>')}</div>
<div class="wrapper"><div class="column-main">{content.html}</div></div>
<div class="bottom"><p>{foot}</p>{_links(r, 20, '<a href="/{slug}">{text}</a>')}</div></body></html>"""
    return Page(html, content, [purposes[0], purposes[-1], foot])


def rich_menu(r: Random, content: Content) -> Page:
    """A mega-menu that is richer than the content: pictures, texts, promotions, editors' picks in every flyout."""
    picks = [(phrase(r), sentence(r)) for _ in range(18)]
    flyouts = "".join(
        f'<div class="flyout" id="flyout-{n}" style="display:none"><div class="flyout-row"><ul>{_links(r, 24)}</ul>'
        + "".join(
            f'<div class="flyout-card"><img src="/m/{n}{k}.jpg" alt=""><h4>{head}</h4><p>{text}</p><a href="/pick/{n}{k}">Discover</a></div>'
            for k, (head, text) in enumerate(picks[n * 3 : n * 3 + 3])
        )
        + "</div></div>"
        for n in range(6)
    )
    foot, edition = sentence(r), day(r)
    html = f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{content.title}</title></head><body>
<div id="top" class="site-head"><a class="brand" href="/">{r.choice(PLACES)}</a><div class="site-menu">{flyouts}</div></div>
<div id="mid" class="site-mid">{content.html}</div>
<div id="low" class="site-foot"><p>{foot}</p><small>Edition of {edition}</small>{_links(r, 40, '<a href="/{slug}">{text}</a>')}</div>
</body></html>"""
    return Page(html, content, [text for _, text in picks[:4]] + [foot])


def bare(r: Random, content: Content) -> Page:
    """Hardly anything around it: a line above, a line below."""
    foot = sentence(r)
    html = f"""<!DOCTYPE html><html><head><meta charset="{content.encoding}"><title>{content.title}</title></head><body>
<p><a href="/">Start</a> <a href="/about">About</a></p>{content.html}<hr><p><small>{foot}</small></p></body></html>"""
    return Page(html, content, [foot])
