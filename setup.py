"""Everything is declared in setup.cfg; this adds the native core where it can be compiled.

Without Cython, lxml's headers or a compiler the package installs all the same, in pure Python.
"""

from __future__ import annotations

import os

from setuptools import Extension, setup


def native_core() -> list[Extension]:
    """Return the extension, or nothing where its tools are missing or SCRAPY_TPS_NATIVE is 0."""
    if os.environ.get("SCRAPY_TPS_NATIVE") == "0":
        return []
    try:
        import lxml
        from Cython.Build import cythonize
    except ImportError:
        return []
    extension = Extension(
        "scrapy_tps._native",
        ["scrapy_tps/_native.pyx"],
        include_dirs=lxml.get_include(),
        optional=os.environ.get("SCRAPY_TPS_NATIVE") != "1",
    )
    return cythonize([extension], build_dir="build/cython", compiler_directives={"language_level": "3"})


setup(ext_modules=native_core())
