"""Comparison of two runs of a callback: what the pruned page lost, its place, and a setting that prevents it."""
