"""Everything is declared in setup.cfg; this adds the native core where it can be compiled.

Without Cython, lxml's headers or a compiler the package installs all the same, in pure Python.
``SCRAPY_TPS_NATIVE=0`` in the environment of the build leaves the core out, ``1`` makes a failure an error.
"""

from __future__ import annotations

import os
from glob import glob
from importlib.util import find_spec

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

WISH = os.environ.get("SCRAPY_TPS_NATIVE", "")


class BuildNativeCore(build_ext):
    """Translates and compiles the modules of the core; a failure is a warning unless the core is demanded."""

    def build_extension(self, ext: Extension) -> None:
        """Build the extension, or say why there is none."""
        try:
            import lxml  # noqa: PLC0415 (both are there only in the environment of a build)
            from Cython.Build import cythonize  # noqa: PLC0415

            ext.include_dirs = list(lxml.get_include())
            (translated,) = cythonize([ext], build_dir=os.path.join(self.build_temp, "cython"), quiet=True)
            ext.sources = translated.sources
            if self.compiler.compiler_type == "unix":
                # a fused product and sum has another last bit than Python's: the results would differ
                ext.extra_compile_args = ["-ffp-contract=off"]
            super().build_extension(ext)
        except Exception as error:
            if WISH == "1":
                raise
            self.warn(f"scrapy-tps installs without its native core: {error}")


# without Cython, setuptools would look for C sources that are not there
core = (
    [
        Extension(f"scrapy_tps.{os.path.basename(path)[:-4]}", [path], optional=WISH != "1")
        for path in sorted(glob("scrapy_tps/_*.pyx"))
    ]
    if WISH != "0" and (WISH == "1" or (find_spec("Cython") and find_spec("lxml")))
    else []
)

setup(ext_modules=core, cmdclass={"build_ext": BuildNativeCore})
