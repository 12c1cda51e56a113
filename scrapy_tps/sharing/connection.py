"""A distributed crawl (a job) in Redis or Valkey, alone or a cluster: its keys, and the connection to it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from scrapy_tps.settings.definitions import crawl_setting
from scrapy_tps.settings.parsing import without_password
from scrapy_tps.stats.database import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from redis import Redis
    from redis.cluster import RedisCluster

#: Seconds that connecting, and then each answer, may take. Nobody waits meanwhile but the thread that sends.
TIMEOUT: Final = 5.0

#: Times that a cluster is asked where a part has moved to.
_MOVES: Final = 2

#: A command and its arguments.
Command = tuple[Any, ...]


class Connection:
    """A connection, made when it is first needed and again after it broke. Use it from one thread at a time.

    :param address: ``redis://``, ``rediss://`` or ``unix://`` URL, with user, password, number of the database and
        options of redis-py (``?ssl_ca_certs=…``).
    :param timeout: seconds for connecting, and for each answer; the address may name others.
    :raises StoreError: from every method; the message has the address without its password.
    """

    def __init__(self, address: str, *, timeout: float = TIMEOUT) -> None:
        self.shown = without_password(address)
        """The address for messages."""
        self._address = address
        self._timeout = timeout
        self._client: Redis | RedisCluster | None = None

    def open(self) -> None:
        """Connect, if that has not been done, and learn whether the other side is a cluster."""
        if self._client is not None:
            return
        from redis import Redis  # noqa: PLC0415 (an extra)
        from redis.cluster import RedisCluster  # noqa: PLC0415
        from redis.exceptions import RedisError  # noqa: PLC0415

        try:
            client: Redis | RedisCluster = Redis.from_url(self._address, **self._options())
            mode = _mode(client)
            if mode == "cluster":
                client.close()
                # parts that have moved to another node are found there by trying again
                client = RedisCluster.from_url(
                    self._address, **self._options(retries=_MOVES), require_full_coverage=False
                )
        except (RedisError, OSError, TypeError, ValueError) as error:
            raise StoreError(f"{self.shown}: {told(error)}") from error
        self._client = client

    def run(self, commands: Sequence[Command]) -> list[Any]:
        """Send the commands in one round trip, per server of a cluster; return an answer or an error for each."""
        from redis.exceptions import RedisError  # noqa: PLC0415

        self.open()
        assert self._client is not None
        try:
            # not a transaction: no command depends on another, and those of a cluster go to several servers
            pipeline = self._client.pipeline(transaction=False)
            for command in commands:
                pipeline.execute_command(*command)
            answers: list[Any] = pipeline.execute(raise_on_error=False)
        except (RedisError, OSError) as error:
            self.close()
            raise StoreError(f"{self.shown}: {told(error)}") from error
        return answers

    def checked(self, answers: Sequence[Any]) -> Sequence[Any]:
        """Return answers; raise the first error that the server answered with."""
        for answer in answers:
            if isinstance(answer, Exception):
                raise StoreError(f"{self.shown}: {told(answer)}")
        return answers

    def ask(self, *commands: Command) -> Sequence[Any]:
        """Like :meth:`run`; the first error that the server answers with is raised."""
        return self.checked(self.run(commands))

    def close(self) -> None:
        """Close the connection; the next call makes a new one."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _options(self, *, retries: int = 0) -> dict[str, Any]:
        from redis.backoff import NoBackoff  # noqa: PLC0415
        from redis.retry import Retry  # noqa: PLC0415

        # whoever sends tries again with the next flush: retries of the client's own would only hide that
        return {
            "socket_timeout": self._timeout,
            "socket_connect_timeout": self._timeout,
            "retry": Retry(NoBackoff(), retries),
        }


def told(error: BaseException) -> str:
    """An error of the client in a line."""
    text = " ".join(str(error).split()).rstrip(".")
    return text or type(error).__name__


def _mode(client: Redis) -> str:
    """The kind of server: ``standalone``, ``sentinel`` or ``cluster``."""
    from redis.exceptions import ResponseError  # noqa: PLC0415

    try:
        answer = client.execute_command("HELLO")
    except (
        ResponseError
    ):  # not allowed to this user, or not known: then any command tells whether we may use it
        client.ping()
        return "standalone"
    pairs = answer.items() if isinstance(answer, dict) else zip(answer[::2], answer[1::2], strict=False)
    found = {text_of(name): text_of(value) for name, value in pairs}
    return found.get("mode", "standalone")


def text_of(value: Any) -> str:
    """A text that the server has, whatever it holds."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


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
        """Set of the names of all jobs; some may have expired."""
        return f"{PREFIX}:jobs"

    @property
    def processes(self) -> str:
        """Hash of the job's processes: what each says of itself, as JSON."""
        return self._key("processes")

    @property
    def kept(self) -> str:
        """Set of the selectors kept on sites: see :mod:`scrapy_tps.sharing.outbox`."""
        return self._key("kept")

    @property
    def figures(self) -> str:
        """Hash of the figures: site by site, and the last flush of each process."""
        return self._key("figures")

    def seen(self, generation: int) -> str:
        """Hash of the records that were seen: lately (0), and before that (1)."""
        return self._key(f"seen:{generation}")

    def _key(self, what: str) -> str:
        # in braces: all keys of a job are in one slot of a cluster, so that a script may use several
        return f"{PREFIX}:{{{self.name}}}:{what}"


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
