"""What the processes of one job share: figures, knowledge of sites and records seen, in Redis.

Nothing here imports Scrapy. The client (redis-py, extra ``redis``) is imported by :mod:`.connection` alone, when a job
is opened.
"""
