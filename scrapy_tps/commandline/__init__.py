"""Code that commands share: the page that they look at, and values from the command line.

It is not next to the commands: Scrapy takes every class there for one (``COMMANDS_MODULE``).
"""
