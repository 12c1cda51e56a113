"""What scrapy-tps costs and how well it chooses, measured."""
