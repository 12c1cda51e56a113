"""A setting: its name, its allowed values, and the parser of a user's value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scrapy_tps.settings.parsing import shortened, shown

if TYPE_CHECKING:
    from scrapy_tps.settings.parsing import Parser


@dataclass(frozen=True)
class Setting:
    """One setting.

    :param name: ``TPS_*`` name.
    :param default: value when the user sets none, in the form :meth:`parse` returns.
    :param parser: turns what a user may write (strings included) into the value; raises on nonsense.
    :param allowed: the allowed values, for messages and the reference page.
    :param help: what the setting does, one or more sentences.
    :param per_page: whether it may be overridden per domain and per request.
    """

    name: str
    default: Any
    parser: Parser = field(repr=False)
    allowed: str
    help: str
    per_page: bool = False

    def parse(self, value: Any) -> Any:
        """Return the checked value; raise ``ValueError`` with name, value and what is allowed."""
        try:
            return self.parser(value)
        except (TypeError, ValueError, OverflowError) as error:
            detail = f" ({shortened(str(error))})" if str(error) else ""
            # what the error itself came from (a module that fails on import) is worth a traceback, the error is not
            message = f"{self.name} is {shown(value)}; allowed: {self.allowed}{detail}"
            raise ValueError(message) from error.__cause__

    @property
    def attribute(self) -> str:
        """Name of the attribute of :class:`PageSettings` that holds it."""
        return self.name.removeprefix("TPS_").lower()
