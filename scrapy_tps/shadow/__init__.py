"""Two runs of a callback compared: what the pruned page cost, where it was, and what would keep it."""
