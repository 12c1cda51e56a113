"""One spider per demo site, with selectors as copied from a browser's inspector, and one for all sites."""
