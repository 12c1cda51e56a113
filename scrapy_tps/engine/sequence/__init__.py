"""The tag path sequence of a page: walk, columns, region search."""
