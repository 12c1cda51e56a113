"""The load of many processes and sites on one Redis: see ``python -m benchmarks.scale``."""
