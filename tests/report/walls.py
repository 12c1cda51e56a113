"""Views with walls taken away, to try what each wall holds by itself."""

from __future__ import annotations

import base64
import hashlib
import json
import re

_SCRIPT = re.compile(r"<script>(.*?)</script>\n</body>", re.DOTALL)
_META = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>\n')


def _replaced(text, old, new):
    assert text.count(old) == 1, old
    return text.replace(old, new)


def without_policy(view):
    """Take the Content Security Policy from the surrounding file and from the frame."""
    view, found = _META.subn("", view)
    assert found == 1
    view, found = re.subn(r'"policy":"[^"]*"', '"policy":""', view)
    assert found == 1
    return view


def without_sandbox(view):
    return _with_script(view, lambda script: re.sub(r'sandbox: "allow-same-origin",.*', "", script))


def without_copy(view, page):
    """Show the page as it came in place of its copy."""
    raw = json.dumps(page).replace("<", "\\u003c")
    view = _replaced(view, "<script>", f'<script type="application/json" id="raw">{raw}</script><script>')

    def change(script):
        script = _replaced(
            script, 'content="${content}">`', 'content="${content}">` + JSON.parse($("#raw").textContent)'
        )
        return re.sub(
            r"this\.copy = new Copy\(.*\);", "this.copy = { nodes: new Map(), placeOf: () => -1 };", script
        )

    return _with_script(view, change)


def _with_script(view, change):
    """Change the script of a view, and the hash that its policy names."""
    script = _SCRIPT.search(view)[1]
    changed = change(script)
    assert changed != script
    view = view.replace(script, changed)
    return view.replace(_digest(script), _digest(changed))


def _digest(script):
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
