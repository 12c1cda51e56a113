"""Selector fallback: the page as downloaded answers selectors that the pruned page cannot."""
