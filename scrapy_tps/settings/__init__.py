"""The ``TPS_*`` settings: definitions, parsing, and the settings in effect for a crawl and for a page."""
