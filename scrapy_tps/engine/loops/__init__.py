"""Loops over columns, each written once: plain Python, which is compiled for the native core.

The types are in `scrapy_tps/engine/_native/*.pxd`, because the interpreter would evaluate types in this package. The
loops import nothing, do not touch libxml2 and use no negative index. :func:`scrapy_tps.engine.native.compiled` returns
the compiled form.
"""
