"""Which site a page belongs to."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from urllib.parse import urlsplit

import tldextract

#: The site of a URL that cannot be read.
UNKNOWN_SITE = "(unknown)"

#: Longest host name that DNS knows (RFC 1035, section 2.3.4): more is nonsense, and would cost memory.
MAX_HOST = 253

#: Pages whose host is remembered: each is asked for when it is pruned, parsed and for each of its items.
_PAGES = 256

#: Hosts whose registered domain is remembered: looking it up takes several times as long as the rest.
_REMEMBERED = 4096

SiteOf = Callable[[str], str]


@lru_cache(maxsize=_PAGES)
def host_site(url: str) -> str:
    """The host name of `url` in lower case, without port and leading ``www.``.

    A URL without a host gives its scheme (``data:``), a broken one :data:`UNKNOWN_SITE`.
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return UNKNOWN_SITE
    if not host:
        return f"{parts.scheme}:" if parts.scheme else UNKNOWN_SITE
    host = host.rstrip(".")
    if not host or len(host) > MAX_HOST or not host.isprintable():
        return UNKNOWN_SITE
    bare = host.removeprefix("www.")
    return bare if "." in bare else host


def site_function(kind: str) -> SiteOf:
    """Return the function from URL to site for ``host`` or ``registered_domain``.

    Registered domains come from the public suffix list that is bundled with tldextract: no network, no cache
    file. Hosts without a registered domain (``localhost``, IP addresses) stay as they are. Raises ``ValueError`` on
    any other kind.
    """
    if kind == "host":
        return host_site
    if kind != "registered_domain":
        raise ValueError(f"kind is {kind!r}; allowed: host, registered_domain")
    extract = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)

    @lru_cache(maxsize=_REMEMBERED)
    def registered(host: str) -> str:
        parts = extract(host)
        return f"{parts.domain}.{parts.suffix}" if parts.domain and parts.suffix else host

    def registered_domain_site(url: str) -> str:
        host = host_site(url)
        return registered(host) if "." in host else host

    return registered_domain_site
