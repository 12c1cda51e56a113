"""Loops over columns, each written once: plain Python, which is compiled where the native core is built.

The types are in `scrapy_tps/engine/_native/*.pxd`, and there are none in here: interpreted, they would be run. Nothing
here imports anything, touches libxml2 or asks for an index below 0. Import what is compiled by
:func:`scrapy_tps.engine.native.compiled`.
"""
