"""Settings of the demo project. The first block has the only line that scrapy-tps needs."""

ADDONS = {"scrapy_tps.Addon": 500}

BOT_NAME = "demo"
SPIDER_MODULES = ["demo.spiders"]
NEWSPIDER_MODULE = "demo.spiders"
ROBOTSTXT_OBEY = True
FEED_EXPORT_ENCODING = "utf-8"
LOG_LEVEL = "INFO"

# The demo sites: a local server, and a middleware that sends requests for their hosts to it.
EXTENSIONS = {"demo.extensions.DemoSites": 0}
DOWNLOADER_MIDDLEWARES = {"demo.middlewares.DemoSitesMiddleware": 740}

# Nothing else on this machine is opened or contacted.
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
