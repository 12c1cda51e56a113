"""Which job a process is part of, where the job is kept, and the names of its keys."""

from __future__ import annotations

from binascii import crc_hqx
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from itertools import count
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

from scrapy_tps.settings.definitions import crawl_setting

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Parts that the sites of a job are divided into. The keys of a part are in one slot of a Redis Cluster, so this is
#: how many servers one job can make use of; each part that a flush touches costs the server some 15 µs.
PARTS: Final = 16

#: Slots of a Redis Cluster.
SLOTS: Final = 16_384

#: How far from the middle of its 16th of the slots a part may lie. Nodes that share the slots evenly, however many,
#: then get the parts as evenly as whole parts go.
_OFF: Final = 96

#: The beginning of all keys.
PREFIX: Final = "tps"

#: Seconds that the keys are kept after the last write: 30 days.
LIFETIME: Final = 30 * 86_400


@dataclass(frozen=True, slots=True)
class Job:
    """A crawl that many processes are part of.

    :param address: URL of the Redis that keeps it, with user and password.
    :param name: its name.
    """

    address: str
    name: str

    @property
    def jobs(self) -> str:
        """Sorted set of all jobs: name by the time at which it expires, in seconds since 1970."""
        return f"{PREFIX}:jobs"

    @property
    def processes(self) -> str:
        """Hash of the job's processes: what each says of itself, as JSON."""
        return f"{PREFIX}:{{{self.name}}}:processes"

    @property
    def kept(self) -> str:
        """Set of the selectors kept on sites: see :mod:`scrapy_tps.sharing.kept`."""
        return f"{PREFIX}:{{{self.name}}}:kept"

    def figures(self, part: int) -> str:
        """Hash of the figures of a part: site by site, and the last flush of each process."""
        return self._key(part, "figures")

    def seen(self, part: int, generation: int) -> str:
        """Hash of the records of a part that were seen: lately (0), and before that (1)."""
        return self._key(part, f"seen:{generation}")

    def _key(self, part: int, what: str) -> str:
        return f"{PREFIX}:{{{_tags(self.name)[part]}}}:{what}"


@lru_cache(maxsize=64)
def _tags(job: str) -> tuple[str, ...]:
    """The hash tag of the keys of each part, which decides on their slot: job, part, and a number that
    spreads the parts. Slots are a CRC, which is linear: without that number more than four nodes get no more than four
    of them do.
    """
    return tuple(
        next(
            tag
            for number in count()
            if abs(slot_of(tag := f"{job}:{part:02}.{number}") - (2 * part + 1) * SLOTS // PARTS // 2) <= _OFF
        )
        for part in range(PARTS)
    )


def slot_of(tag: str) -> int:
    """The slot of a Redis Cluster that keys with this text in braces are in."""
    return crc_hqx(tag.encode(), 0) % SLOTS


def part_of(site: str) -> int:
    """The part of a job that a site belongs to: the same in every process, on every machine."""
    return crc32(site.encode("utf-8", "replace")) % PARTS


def job_of(settings: Mapping[str, Any]) -> Job | None:
    """Return the job that a crawl with these settings is part of, or None.

    Raises ``ValueError`` where ``TPS_STORE`` is set and ``TPS_JOB`` is not, and where the extra is missing.
    """
    address = crawl_setting(settings, "TPS_STORE")
    if address is None:
        return None
    name = crawl_setting(settings, "TPS_JOB")
    if name is None:
        raise ValueError(
            "TPS_STORE is set and TPS_JOB is not; allowed: both or neither. TPS_JOB names the distributed "
            "crawl, such as 'shop-2026-11-22'"
        )
    if find_spec("redis") is None:
        raise ValueError("TPS_STORE needs redis-py: pip install 'scrapy-tps[redis]'")
    return Job(address, name)
