"""What a Redis has to bear of many processes and sites: see ``python -m benchmarks.scale``."""
