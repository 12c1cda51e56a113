"""Every kind of server: a cluster, TLS, a user who may do no more than is documented."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scrapy_tps.sharing.connection import Connection, DistributedCrawl
from scrapy_tps.sharing.distributed_reader import DistributedCrawlReader, distributed_crawls
from scrapy_tps.sharing.member import CrawlMember
from scrapy_tps.sharing.seen import Record, SeenRecords
from scrapy_tps.stats.database import StoreError
from scrapy_tps.stats.error_isolation import Guard
from tests.support.redis_server import RedisServer, free_port, needs_redis

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest.importorskip("redis", reason="redis-py is not installed")
pytestmark = [needs_redis, pytest.mark.slow]

SITES = [f"{number}.example" for number in range(100)]
DOCS = Path(__file__).parents[2] / "docs" / "how-to" / "machines.md"


def use(url: str) -> Guard:
    """Do everything that processes do with a store, and check what comes of it; return what failed."""
    distributed, guard = DistributedCrawl(url, "monday"), Guard()
    first, second = (CrawlMember(distributed, "shop", max_sites=1000, guard=guard) for _ in range(2))
    for member in (first, second):
        member.open()
        for site in SITES:
            member.of(site).add({"pages": 1})
    first.kept.add(SITES[0], "#facts")
    assert first.finish("finished")()
    assert second.finish("finished")()
    assert list(second.kept.news()) == [(SITES[0], "#facts")]
    for member in (first, second):
        member.close()
    reader = DistributedCrawlReader(distributed)
    assert {site: figures["pages"] for site, figures in reader.sites()} == dict.fromkeys(SITES, 2)
    assert len(reader.processes) == 2
    assert distributed_crawls(distributed) == ["monday"]
    for page, answer in ((1, False), (2, True)):
        with closing(SeenRecords(distributed, 1000)) as seen:
            records = [Record(site.encode(), bytes([page])) for site in SITES]
            assert seen.ask(records) == [answer] * len(SITES)
    return guard


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[list[RedisServer]]:
    """Two servers, each with half of the slots."""
    with ExitStack() as stack:
        nodes = []
        for number in range(2):
            (tmp_path / str(number)).mkdir()
            options = {
                "cluster_enabled": "yes",
                "cluster_port": str(free_port()),
                "cluster_node_timeout": "2000",
            }
            nodes.append(stack.enter_context(RedisServer(tmp_path / str(number), appendonly="no", **options)))
        first, second = (stack.enter_context(closing(node.client())) for node in nodes)
        first.execute_command("CLUSTER ADDSLOTSRANGE", 0, 8191)
        second.execute_command("CLUSTER ADDSLOTSRANGE", 8192, 16383)
        first.execute_command("CLUSTER MEET", "127.0.0.1", nodes[1].port, nodes[1].options["cluster_port"])
        deadline = time.monotonic() + 30
        while not all(
            one.execute_command("CLUSTER INFO")["cluster_state"] == "ok" for one in (first, second)
        ):
            assert time.monotonic() < deadline, "the cluster does not come up"
            time.sleep(0.1)
        yield nodes


def test_a_cluster_holds_what_one_script_uses_in_one_slot(cluster: list[RedisServer]) -> None:
    assert use(cluster[0].url).failures == {}


def test_a_cluster_that_misses_a_node_for_a_while_gets_everything(cluster: list[RedisServer]) -> None:
    from redis.crc import key_slot

    crawls = (DistributedCrawl(cluster[0].url, name) for name in "abcdefgh")
    # which the second node has
    distributed = next(one for one in crawls if key_slot(one.key("figures").encode()) > 8191)
    guard = Guard()
    member = CrawlMember(distributed, "shop", max_sites=1000, guard=guard)
    member.open()
    assert member.finish("")()
    cluster[1].kill()
    for site in SITES:
        member.of(site).add({"pages": 1})
    assert not member.finish("")()
    cluster[1].start()
    for _ in range(20):
        if member.finish("finished")():
            break
        time.sleep(0.5)
    member.close()
    sites = DistributedCrawlReader(distributed).sites()
    assert {site: figures["pages"] for site, figures in sites} == dict.fromkeys(SITES, 1)
    assert "distributed" in guard.failures


def test_a_user_who_may_do_what_is_documented_and_no_more(tmp_path: Path) -> None:
    said = DOCS.read_text(encoding="utf-8")
    documented = re.search(r"the keys `(~\S+)` and the commands\s+`(\+[^`]*)`", said)
    assert documented is not None
    with RedisServer(tmp_path) as server:
        with server.client() as client:
            rules = ["on", ">secret", documented[1], *documented[2].split()]
            client.execute_command("ACL SETUSER", "crawler", "reset", *rules)
        url = server.url.replace("redis://", "redis://crawler:secret@")
        assert use(url).failures == {}
        with closing(Connection(url)) as connection:
            (refusal,) = connection.run([("HGET", "other:key", "field")])
        assert "no permissions" in str(refusal).lower()


def certificate(directory: Path) -> dict[str, str]:
    """Options of a server with a certificate of its own for 127.0.0.1."""
    key, crt = directory / "key.pem", directory / "crt.pem"
    subprocess.run(
        [
            *(
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-days",
                "2",
                "-subj",
                "/CN=localhost",
            ),
            *("-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(crt)),
        ],
        check=True,
        capture_output=True,
    )
    return {
        "tls_cert_file": str(crt),
        "tls_key_file": str(key),
        "tls_ca_cert_file": str(crt),
        "tls_auth_clients": "no",
    }


@pytest.mark.skipif(not shutil.which("openssl"), reason="no openssl on this machine")
def test_tls(tmp_path: Path) -> None:
    port = free_port()
    options = certificate(tmp_path)
    with RedisServer(tmp_path, tls_port=str(port), **options):
        address = f"rediss://127.0.0.1:{port}/0"
        assert use(f"{address}?ssl_ca_certs={options['tls_cert_file']}").failures == {}
        with pytest.raises(StoreError, match="certificate verify failed"):
            DistributedCrawlReader(DistributedCrawl(address, "monday"))
