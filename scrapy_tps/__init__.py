"""Strip pages to their main-content region before spiders parse them."""
