"""Contracts for ``scrapy check``: limits on what pruning may do to a spider's page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.contracts import Contract
from scrapy.exceptions import ContractFail

from scrapy_tps.engine.outcomes import OUTCOMES
from scrapy_tps.engine.pruned_page import DROPPED, page_of
from scrapy_tps.engine.selectors import compile_selector
from scrapy_tps.response import PrunedMixin
from scrapy_tps.shadow.locate import RemovedParts
from scrapy_tps.terminal import printable

if TYPE_CHECKING:
    from scrapy.http import Response


class _TpsContract(Contract):
    """Base of the contracts. It reads the arguments when the spider is loaded, so that wrong ones fail at once."""

    usage = ""

    def __init__(self, method: Any, *args: Any) -> None:
        super().__init__(method, *args)
        self.arguments = [argument for argument in args if argument]
        try:
            self.read(self.arguments)
        except (ValueError, IndexError) as error:
            detail = f" ({error})" if str(error) else ""
            raise ValueError(
                f"@{self.name} {' '.join(self.arguments)} in {method.__qualname__}: use {self.usage}{detail}"
            ) from None

    def read(self, arguments: list[str]) -> None:
        """Check and keep the arguments."""
        raise NotImplementedError

    def pre_process(self, response: Response) -> None:
        """Check the page, before the callback gets it."""
        if not isinstance(response, PrunedMixin):
            raise self.failure(
                f"{response} did not go through scrapy-tps (is the add-on enabled, and is it HTML?)"
            )
        self.page = response
        self.check(response)

    def check(self, page: PrunedMixin) -> None:
        """Raise :meth:`failure` if the page breaks the contract."""

    def failure(self, message: str) -> ContractFail:
        """Return the exception of a broken contract."""
        return ContractFail(f"@{self.name}: {message}")


class ReducesContract(_TpsContract):
    """``@tps_reduces 0.3``: at least that share of the page's nodes is removed; ``@tps_reduces 0.3 0.8``: and at most
    the second share.
    """

    name = "tps_reduces"
    usage = "@tps_reduces LEAST [MOST], shares from 0 to 1"

    def read(self, arguments: list[str]) -> None:
        least, *rest = map(float, arguments)
        most = rest.pop() if rest else 1.0
        if rest or not 0 <= least <= most <= 1:
            raise ValueError
        self.least, self.most = least, most

    def check(self, page: PrunedMixin) -> None:
        pruning = page.tps
        if not self.least <= pruning.reduction <= self.most:
            error = f": {printable(pruning.error)}" if pruning.error else ""
            raise self.failure(
                f"{pruning.reduction:.1%} of the nodes of {page.url} were removed "
                f"({pruning.raw_nodes} -> {pruning.kept_nodes}, outcome {pruning.outcome}{error}); "
                f"expected {self.least:.1%} to {self.most:.1%}"
            )


class KeepsContract(_TpsContract):
    """``@tps_keeps h2.title 20``: the selector (CSS or XPath) matches at least that many elements after pruning
    (default: as many as before pruning, and at least one).
    """

    name = "tps_keeps"
    usage = "@tps_keeps SELECTOR [LEAST], a CSS selector or XPath and a whole number"

    def read(self, arguments: list[str]) -> None:
        parts = list(arguments)
        self.least = int(parts.pop()) if len(parts) > 1 and parts[-1].isdigit() else None
        self.selector = " ".join(parts)
        if not self.selector:
            raise ValueError
        compile_selector(self.selector)

    def check(self, page: PrunedMixin) -> None:
        with page_of(page.tps).lock:
            kept = before = len(compile_selector(self.selector)(page.selector.root))
        removed: list[str] = []
        dropped = page.tps.pruned and page.raw_body is None
        if page.tps.pruned and not dropped:
            before, removed = RemovedParts(page.tps).matches(self.selector)
        default = 1 if dropped else before or 1
        least = default if self.least is None else self.least
        if kept >= least and not (dropped and self.least is None):
            return
        was = f"the original was dropped {DROPPED}" if dropped else f"{before} before"
        hint = " (the page as downloaded has too few itself)" if before < least and not dropped else ""
        raise self.failure(
            f"{self.selector} matches {kept} elements of {page.url} after pruning, {was}; "
            f"expected at least {least}{hint}" + (f"; removed: {', '.join(removed)}" if removed else "")
        )


class FindsContract(_TpsContract):
    """``@tps_finds``: each selector that the callback uses finds something, on the pruned page or on the page as
    downloaded; ``@tps_finds h2.title::text``: that selector, written as in the callback, does.
    """

    name = "tps_finds"
    usage = "@tps_finds [SELECTOR], a selector as in the callback"

    def read(self, arguments: list[str]) -> None:
        self.selector = " ".join(arguments)

    def post_process(self, output: list[Any]) -> None:  # noqa: ARG002 (Scrapy's interface)
        """Fail if a selector found nothing; the message lists the results of all."""
        pruning = self.page.tps
        uses = pruning.selector_usage.selectors
        if self.selector and self.selector not in uses:
            raise self.failure(f"the callback did not use {self.selector} on {self.page.url}")
        wanted = [self.selector] if self.selector else list(uses)
        empty = [selector for selector in wanted if uses[selector].nothing == uses[selector].used]
        if empty:
            where = "as TPS_FALLBACK is off"
            if page_of(pruning).settings.fallback:
                where = "neither there nor on the page as downloaded"
            where = where if pruning.pruned else "which was not pruned"
            raise self.failure(
                f"{', '.join(empty)} found nothing on {self.page.url}, {where}. All selectors:\n"
                f"{pruning.selector_usage}"
            )


class OutcomeContract(_TpsContract):
    """``@tps_outcome pruned``: the outcome of the page is one of those given."""

    name = "tps_outcome"
    usage = "@tps_outcome OUTCOME [OUTCOME …], such as pruned, no_region, ambiguous, excluded"

    def read(self, arguments: list[str]) -> None:
        if not arguments:
            raise ValueError
        self.outcomes = arguments

    def check(self, page: PrunedMixin) -> None:
        pruning = page.tps
        if pruning.outcome not in self.outcomes:
            raise self.failure(
                f"the outcome of {page.url} is {pruning.outcome}"
                + (f" ({printable(pruning.error)})" if pruning.error else "")
                + f"; expected {' or '.join(self.outcomes)} (of {', '.join(OUTCOMES)}, or your strategy's own)"
            )
