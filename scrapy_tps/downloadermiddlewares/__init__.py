"""Downloader middlewares: pages on their way from the downloader to the spider."""
