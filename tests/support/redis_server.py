"""A real Redis server of a test's own: started, killed, started again."""

from __future__ import annotations

import os
import random
import shutil
import socket
import subprocess
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    import redis
    from typing_extensions import Self

#: Program of the server: ``REDIS_SERVER=valkey-server pytest tests/sharing`` runs the tests on Valkey.
PROGRAM: Final = os.environ.get("REDIS_SERVER", "redis-server")

#: Ports are drawn, so that workers of a test run that ask at the same time get different ones.
_PORTS: Final = random.SystemRandom()

#: For tests that need one. One that was named and is not there fails them.
needs_redis = pytest.mark.skipif(
    "REDIS_SERVER" not in os.environ and not shutil.which(PROGRAM), reason="no redis-server on this machine"
)


def free_port() -> int:
    """A port that nobody listens on, and that no connection gets while a server is away: below those of connections
    (from 32,768 on; the system's own choice is among them).
    """
    while True:
        port = _PORTS.randrange(15_000, 32_000)
        with socket.socket() as free, suppress(OSError):
            free.bind(("127.0.0.1", port))
            return port


class RedisServer:
    """A server that keeps its data in `directory` (append-only file, synced at each write) as long as it is there.

    :param options: further options of ``redis-server``: ``{"maxmemory": "3mb"}``.
    """

    def __init__(self, directory: Path, **options: str) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._directory = directory
        self.options = {"appendonly": "yes", "appendfsync": "always", "save": ""} | options
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.kill()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = [
            part for name, value in self.options.items() for part in (f"--{name.replace('_', '-')}", value)
        ]
        self._process = subprocess.Popen(
            [
                PROGRAM,
                *("--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self._directory), *options),
            ],
            stdout=subprocess.DEVNULL,
        )
        wait_for(self.url)
        assert self._process.poll() is None, f"port {self.port} is another server's"

    def kill(self) -> None:
        """End it at once, as a crash would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(10)
            self._process = None

    def client(self) -> redis.Redis[bytes]:
        import redis as library

        return library.Redis.from_url(self.url)

    def keys(self) -> dict[str, Any]:
        """Names of all keys, with the seconds they have to live."""
        with self.client() as client:
            return {key.decode(): client.ttl(key) for key in client.scan_iter()}


def wait_for(url: str) -> None:
    """Wait until the server answers, for up to 20 seconds; raises what the client raises then."""
    import redis

    retry = redis.retry.Retry(redis.backoff.ConstantBackoff(0.05), retries=400)
    errors = [redis.exceptions.ConnectionError]
    client = redis.Redis.from_url(url, retry=retry, retry_on_error=errors)
    # one that asks for a password is there
    with closing(client), suppress(redis.exceptions.AuthenticationError):
        client.ping()
