"""Pages for the tests of the view."""

MENU = "".join(f'<li class="entry"><a href="/menu/{n}">Menu entry {n}</a></li>' for n in range(8))
RECORDS = "".join(
    f'<div class="record"><h2><a class="title" href="/item/{n}">Record {n}</a></h2>'
    f'<p class="text">Description of record {n}</p><span class="price">{n}.50</span></div>'
    for n in range(20)
)
SHOP = f"""<!DOCTYPE html><!-- made by hand -->
<html><head><title>A shop</title><meta name="author" content="somebody"><style>.record {{ margin: 4px }}</style>
<script>var tracking = 1;</script></head>
<body><ul class="menu">{MENU}</ul>
<section class="results"><!-- results --> <script>fill()</script> {RECORDS}
<table class="facts"><tr><td>one</td><td>two</td></tr></table></section>
</body></html><!-- end -->"""

SETTINGS = {"TPS_STRATEGY": "paper", "TPS_MIN_NODES": 5}
