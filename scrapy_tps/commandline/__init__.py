"""What commands share: the page that they look at, and values from the command line.

Not beside the commands: Scrapy takes every class there for one (``COMMANDS_MODULE``).
"""
