"""What each rule is worth, in a line; docs/auto.md has the table."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

EVIDENCE: Final = MappingProxyType({})
