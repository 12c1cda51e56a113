"""Data that the processes of one job share in Redis: figures, selectors kept on sites, records seen.

Nothing here imports Scrapy. The client (redis-py, extra ``redis``) is imported by :mod:`.connection` alone, when a job
is opened.
"""
