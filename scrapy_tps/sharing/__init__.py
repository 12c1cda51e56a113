"""Data that the processes of a distributed crawl share in Redis: figures, selectors kept on sites, records seen.

Nothing here imports Scrapy. The client (redis-py, extra ``redis``) is imported only by :mod:`.connection`, when a
distributed crawl is opened.
"""
