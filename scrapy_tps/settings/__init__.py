"""The ``TPS_*`` settings: definitions, parsing, and what holds for a crawl and for a page."""
