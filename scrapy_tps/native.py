"""Whether the native core is in use; what it offers is imported from here.

The core (``scrapy_tps._native``) is an optional extension over lxml's public C API. Its results are those of
the pure Python it replaces, bit for bit. ``SCRAPY_TPS_NATIVE=0`` in the environment leaves it out,
``SCRAPY_TPS_NATIVE=1`` makes its absence an error.
"""

from __future__ import annotations

AVAILABLE = False
REASON = "not built"
