"""A distributed crawl in Redis or Valkey, single or a cluster: its keys, and the connection to it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from scrapy_tps.settings.definitions import crawl_setting
from scrapy_tps.settings.parsing import without_password
from scrapy_tps.stats.database import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from redis import Redis
    from redis.cluster import RedisCluster

#: Time limit in seconds for connecting, and for each answer. Only the sending thread waits meanwhile.
TIMEOUT: Final = 5.0

#: A command and its arguments.
Command = tuple[Any, ...]


class Connection:
    """A connection, opened on first use and again after a failure. Use it from one thread at a time.

    :param address: ``redis://``, ``rediss://`` or ``unix://`` URL, with user, password, number of the database and
        options of redis-py (``?ssl_ca_certs=…``).
    :param timeout: seconds for connecting, and for each answer; the address may override it.
    :raises StoreError: from every method; the message has the address without its password.
    """

    def __init__(self, address: str, *, timeout: float = TIMEOUT) -> None:
        self.shown = without_password(address)
        """The address for messages."""
        self._address = address
        self._timeout = timeout
        self._client: Redis | RedisCluster | None = None

    def open(self) -> None:
        """Connect, unless connected, and find out whether the server is a cluster."""
        if self._client is not None:
            return
        from redis import Redis  # noqa: PLC0415 (an extra)
        from redis.cluster import RedisCluster  # noqa: PLC0415
        from redis.exceptions import RedisError  # noqa: PLC0415

        try:
            client: Redis | RedisCluster = Redis.from_url(self._address, **self._options())
            if _is_cluster(client):
                client.close()
                # keys that have moved to another node are found by retries
                options = self._options(retries=2)
                client = RedisCluster.from_url(self._address, **options, require_full_coverage=False)
        except (RedisError, OSError, TypeError, ValueError) as error:
            raise StoreError(f"{self.shown}: {error_line(error)}") from error
        self._client = client

    def run(self, commands: Sequence[Command]) -> list[Any]:
        """Send the commands in one round trip, per server of a cluster; return an answer or an error for each."""
        from redis.exceptions import RedisError  # noqa: PLC0415

        self.open()
        assert self._client is not None
        try:
            # not a transaction: commands are independent, and in a cluster they go to several servers
            pipeline = self._client.pipeline(transaction=False)
            for command in commands:
                pipeline.execute_command(*command)
            answers: list[Any] = pipeline.execute(raise_on_error=False)
        except (RedisError, OSError) as error:
            self.close()
            raise StoreError(f"{self.shown}: {error_line(error)}") from error
        return answers

    def checked(self, answers: Sequence[Any]) -> Sequence[Any]:
        """Return answers; raise the first error among them."""
        for answer in answers:
            if isinstance(answer, Exception):
                raise StoreError(f"{self.shown}: {error_line(answer)}")
        return answers

    def ask(self, *commands: Command) -> Sequence[Any]:
        """Do the same as :meth:`run`, but raise the first error among the answers."""
        return self.checked(self.run(commands))

    def close(self) -> None:
        """Close the connection; the next call makes a new one."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _options(self, *, retries: int = 0) -> dict[str, Any]:
        from redis.backoff import NoBackoff  # noqa: PLC0415
        from redis.retry import Retry  # noqa: PLC0415

        # the sender tries again with the next flush: retries of the client would only hide failures
        return {
            "socket_timeout": self._timeout,
            "socket_connect_timeout": self._timeout,
            "retry": Retry(NoBackoff(), retries),
            "decode_responses": True,
            "encoding_errors": "replace",
        }


def error_line(error: BaseException) -> str:
    """Return an error of the client in one line."""
    text = " ".join(str(error).split()).rstrip(".")
    return text or type(error).__name__


def _is_cluster(client: Redis) -> bool:
    from redis.exceptions import ResponseError  # noqa: PLC0415

    try:
        answer = client.execute_command("HELLO")
    except ResponseError:  # not allowed for this user, or unknown: other commands tell more
        client.ping()
        return False
    found = answer if isinstance(answer, dict) else dict(zip(answer[::2], answer[1::2], strict=False))
    return found.get("mode") == "cluster"


#: The beginning of all keys.
PREFIX: Final = "tps"
#: The key of a set of the names of all distributed crawls; some may have expired.
CRAWLS: Final = f"{PREFIX}:crawls"
#: See :meth:`DistributedCrawl.key`.
Key: TypeAlias = Literal["processes", "kept", "figures", "proposals", "seen:0", "seen:1"]

#: Seconds that the keys are kept after the last write: 30 days.
LIFETIME: Final = 30 * 86_400


@dataclass(frozen=True, slots=True)
class DistributedCrawl:
    """A distributed crawl.

    :param address: URL of the Redis that keeps it, with user and password.
    :param name: its name.
    """

    address: str
    name: str

    def key(self, what: Key) -> str:
        """Return a key of the crawl.

        * ``processes``: a hash with the entry of each process, as JSON
        * ``kept``: a set of the selectors kept on sites (:mod:`scrapy_tps.sharing.outbox`)
        * ``figures``: a hash with the figures of each site, and the last flush of each process
        * ``proposals``: a hash with proposals as JSON, by site, callback and lost selector
        * ``seen:0``, ``seen:1``: hashes of the records seen recently, and before that
        """
        # in braces: all keys of a distributed crawl are in one slot of a cluster, so that a script may use several
        return f"{PREFIX}:{{{self.name}}}:{what}"


def memory_key(spider: str) -> str:
    """Return the key of a hash of what the distributed crawls of a spider remember, as JSON, by site, callback and
    process."""
    return f"{PREFIX}:{{{spider}}}:memory"


def distributed_crawl_of(settings: Mapping[str, Any]) -> DistributedCrawl | None:
    """Return the distributed crawl of these settings, or None.

    Raises ``ValueError`` if ``TPS_STORE`` is set and ``TPS_DISTRIBUTED_CRAWL`` is not, or if the extra is missing.
    """
    address = crawl_setting(settings, "TPS_STORE")
    if address is None:
        return None
    name = crawl_setting(settings, "TPS_DISTRIBUTED_CRAWL")
    if name is None:
        raise ValueError(
            "TPS_STORE is set and TPS_DISTRIBUTED_CRAWL is not; allowed: both or neither. The latter names the "
            "crawl, such as 'shop-2026-11-22'"
        )
    if find_spec("redis") is None:
        raise ValueError("TPS_STORE needs redis-py: pip install 'scrapy-tps[redis]'")
    return DistributedCrawl(address, name)
