"""Other people's scrapers on their recorded pages, with models of the sites of these."""
