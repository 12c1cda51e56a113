"""HTML: decode, sniff, parse, write."""
