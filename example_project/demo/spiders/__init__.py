"""One spider per demo site, with the selectors one would write in a browser's inspector, and one for all."""
