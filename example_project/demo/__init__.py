"""An ordinary Scrapy project with scrapy-tps enabled, and the demo sites that it crawls."""
