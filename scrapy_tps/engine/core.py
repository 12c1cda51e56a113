"""The modules of the native core, and whether they can be used.

The core consists of optional extensions: the modules in ``MODULES`` over lxml's public C API, which have twins in
Python, and those in ``LOOPS``, which need no lxml and, except for the arrays, are the compiled Python of
:mod:`scrapy_tps.engine.loops`. Either all of them are used or none. ``SCRAPY_TPS_NATIVE=0`` in the environment switches
the core off; with ``SCRAPY_TPS_NATIVE=1`` its absence is an error.

One build works with every lxml from 5.0 on: it reads and links nodes and calls no function of libxml2. A trial at
import shows whether it fits the installed lxml.
"""

from __future__ import annotations

import os
import warnings
import zlib
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lxml import etree

from scrapy_tps.engine import loops

if TYPE_CHECKING:
    from types import ModuleType

#: Increased with every change of the core's interface. The loops are compared by their source instead.
REVISION: Final = 105
#: Modules without lxml: C arrays, and the loops over them.
LOOPS: Final = ("arrays", "columns", "search", "siblings", "boilerplate", "groups", "parts")
#: Modules over libxml2. ``walk`` has the columns that the others use.
MODULES: Final = ("texts", "walk", "sequence", "cues", "promises", "cutting", "markup")


#: The trial: a page, the parent of each of its nodes, the nodes that stay, and the page after the cut.
_PAGE: Final = (
    '<!DOCTYPE html>\n<html><body class="a"><p id="b">one <b>two</b><i>three</i>four</p>'
    "<ul><li>\u00e9<li>&amp;</ul>five<i></i></body></html>"
)
_PARENTS: Final = [-1, 0, 1, 1, 3, 1, 5, 1, 0, 8, 9, 8, 11, 0, 0]
_STAYING: Final = b"\1\1\1\0\0\0\0\1\0\0\0\0\0\1\1"
_LEFT: Final = b'<!DOCTYPE html>\n<html><body class="a"><p id="b">one four</p>five<i></i></body></html>'

_INSTALL_AGAIN: Final = "install scrapy-tps again"


def load_core() -> tuple[dict[str, ModuleType] | None, str, str]:
    """Return the modules of the native core by name, or None; why they are not used; a remedy if there is one."""
    wish = os.environ.get("SCRAPY_TPS_NATIVE", "")
    if wish == "0":
        return None, "switched off by SCRAPY_TPS_NATIVE=0", ""
    core: dict[str, ModuleType] = {}
    reason = remedy = ""
    try:
        with warnings.catch_warnings():
            # a type that has grown at its end, as documents in lxml 7, may fit; a smaller type is an error
            warnings.filterwarnings("ignore", r"lxml\.etree\.\w+ size changed", RuntimeWarning)
            for name in LOOPS + MODULES:
                core[name] = import_module(f"scrapy_tps.engine._native.{name}")
    except ModuleNotFoundError as error:
        reason = f"not built ({error})"
    except (ImportError, ValueError, TypeError, AttributeError) as error:
        reason, remedy = _misfit(error, core)
    else:
        if any(_is_stale(name, module) for name, module in core.items()):
            reason, remedy = "compiled from another version of scrapy-tps", _INSTALL_AGAIN
        elif trouble := _try_out(core):
            reason, remedy = _misfit(trouble, core)
    if not reason:
        return core, "", ""
    if wish == "1":
        raise ImportError(f"SCRAPY_TPS_NATIVE=1, but the native core can't be used: {reason}")
    return None, reason, remedy


def _misfit(trouble: object, core: dict[str, ModuleType]) -> tuple[str, str]:
    remedy = f"install lxml {core['texts'].LXML_VERSION}" if "texts" in core else _INSTALL_AGAIN
    return f"unfit for lxml {etree.__version__} ({trouble})", remedy


def _is_stale(name: str, module: ModuleType) -> bool:
    """Whether a module of the core was compiled from sources other than the installed ones."""
    if not hasattr(module, "SOURCE"):
        return getattr(module, "REVISION", 0) != REVISION
    source = Path(loops.__path__[0], f"{name}.py")
    return source.exists() and zlib.crc32(source.read_bytes()) >> 1 != module.SOURCE


def _try_out(core: dict[str, ModuleType]) -> str:
    """Walk, cut and write a small tree; return the error, empty if there was none."""
    tree = etree.ElementTree(etree.fromstring(_PAGE, parser=etree.HTMLParser()))
    walk = core["walk"].Walk(tree.getroot()[0])
    if not walk.run() or core["sequence"].parent_column(walk) != _PARENTS:
        return "it reads a wrong tree"
    core["cutting"].cut(walk, bytearray(_STAYING), (), False)
    if (etree.tostring(tree, method="html"), core["markup"].write(tree.getroot())) != (_LEFT, _LEFT):
        return "it leaves a wrong tree"
    return ""
