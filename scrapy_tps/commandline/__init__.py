"""Code that commands share: the page that they show, and values from the command line.

It is not next to the commands, because Scrapy takes every class there for a command (``COMMANDS_MODULE``).
"""
