"""Comparison of two runs of a callback: the losses on the pruned page, their place, and a setting that prevents
them."""
