"""What commands share. Not in :mod:`scrapy_tps.commands`, where Scrapy takes each class for a command."""
