"""The modules of the native core, and whether they can be used.

The core consists of optional extensions: the modules in ``MODULES`` over lxml's public C API, which have twins in
Python, and those in ``LOOPS``, which need no lxml and, but for the columns, are the compiled Python of
:mod:`scrapy_tps.engine.loops`. ``SCRAPY_TPS_NATIVE=0`` in the environment switches the core off; with
``SCRAPY_TPS_NATIVE=1`` its absence is an error.
"""

from __future__ import annotations

import os
import zlib
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from scrapy_tps.engine import loops

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Raised with every change of what the core offers, but for the loops: of these the source is compared.
REVISION: Final = 60
#: What needs no lxml: the columns of a page, and the loops over them.
LOOPS: Final = (
    "columns",
    "siblings",
    "furniture",
    "groups",
    "parts",
    "beside_records",
    "staying",
    "novelty",
    "pairing",
)
#: What is over libxml2. ``walk`` has the columns that the others work on.
MODULES: Final = (
    "texts",
    "walk",
    "data",
    "sequence",
    "search",
    "hints",
    "pagination",
    "records",
    "cutting",
    "markup",
    "sites",
)


def load_core(names: Sequence[str] = MODULES) -> tuple[dict[str, Any] | None, str]:
    """Return these modules of the native core by name, or None and the reason why they are not used.

    What was compiled against another lxml (major and minor version) is not used: checked before lxml and Cython do.
    """
    wish = os.environ.get("SCRAPY_TPS_NATIVE", "")
    if wish == "0":
        return None, "switched off by SCRAPY_TPS_NATIVE=0"
    core: dict[str, Any] = {}
    reason = ""
    for name in names:
        try:
            module: Any = import_module(f"scrapy_tps.engine._native.{name}")
        except ImportError as error:
            reason = f"not built ({error})"
        except (ValueError, TypeError, AttributeError) as error:  # raised by Cython for types of another size
            reason = f"does not fit the installed lxml ({error})"
        else:
            reason = _misfit(name, module)
        if reason:
            break
        core[name] = module
    else:
        return core, ""
    if wish == "1":
        raise ImportError(f"SCRAPY_TPS_NATIVE=1, but the native core can't be used: {reason}")
    return None, reason


def _misfit(name: str, module: Any) -> str:
    """Say why a module of the core can't be used; empty where it can."""
    if hasattr(module, "SOURCE"):
        source = Path(loops.__path__[0], f"{name}.py")
        stale = source.exists() and zlib.crc32(source.read_bytes()) >> 1 != module.SOURCE
        return "compiled from another version of scrapy-tps" if stale else ""
    installed = list(map(str, etree.LXML_VERSION[:2]))
    if name not in LOOPS and module.LXML_VERSION.split(".")[:2] != installed:
        return f"compiled for lxml {module.LXML_VERSION}, installed is {'.'.join(installed)}"
    if getattr(module, "REVISION", 0) != REVISION:
        return "compiled from another version of scrapy-tps"
    return ""
