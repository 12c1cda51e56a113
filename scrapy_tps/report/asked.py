"""What was learnt of a spider's queries, as settings that are ready to paste."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from scrapy_tps.report.terminal import printable
from scrapy_tps.stats.figures import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scrapy_tps.engine.asking.learnt import SiteQueries

#: Sites that are written out, and selectors of each.
_MOST_SITES: Final = 10
_MOST_SELECTORS: Final = 20


def keep_settings(sites: Mapping[str, SiteQueries], kept: Sequence[str] = ()) -> list[str]:
    """Return lines for a log: which settings keep what the spider asked for and pruning took; none if nothing was.

    :param sites: what was learnt, by site.
    :param kept: the ``TPS_KEEP`` that held, which is in the setting as well.
    """
    if not sites:
        return []
    shown = dict(list(sites.items())[:_MOST_SITES])
    lists = {
        site: json.dumps([*kept, *known.keep_selectors()[:_MOST_SELECTORS]], ensure_ascii=False)
        for site, known in shown.items()
    }
    lines = [
        "Your spider asked for parts that pruning had removed, and got them; from then on they were kept. To keep them "
        "from the first page on:"
    ]
    if len(sites) == 1:
        lines += [f"    TPS_KEEP = {selectors}" for selectors in lists.values()]
    else:
        lines.append("    TPS_DOMAINS = {")
        lines += [f'        {json.dumps(site)}: {{"TPS_KEEP": {chosen}}},' for site, chosen in lists.items()]
        lines.append("    }")
        if len(sites) > _MOST_SITES:
            lines.append(f"    and likewise {counted(len(sites) - _MOST_SITES, 'more site')}")
    return [printable(line) for line in lines]
