"""Everything is declared in setup.cfg; this adds the native core if it can be compiled, and the links of README.md.

It is compiled from Cython, and from the Python of `scrapy_tps.engine.loops` with types for Cython, under another name,
so that both forms are installed.

Without Cython, lxml's headers or a compiler, the package is installed in pure Python. ``SCRAPY_TPS_NATIVE=0`` in the
environment of the build skips the core, ``1`` makes a failure an error. ``pip install -v`` shows each module as it is
compiled.
"""

from __future__ import annotations

import os
import sys
import zlib
from glob import glob
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from runpy import run_path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

#: Directives of all modules; those in Python have annotations only for readers.
DIRECTIVES = {
    "language_level": 3,
    "annotation_typing": False,
    "infer_types": True,  # of integers, too: those of a page fit
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "freethreading_compatible": False,
    "binding": False,
    "auto_pickle": False,
}
WISH = os.environ.get("SCRAPY_TPS_NATIVE", "")


def processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class BuildNativeCore(build_ext):
    """Translates and compiles the modules of the core, one per processor at a time.

    A failure is a warning unless the core is required.
    """

    def finalize_options(self) -> None:
        """Use all processors unless told otherwise."""
        super().finalize_options()
        if self.parallel is None:
            self.parallel = processors()

    def build_extensions(self) -> None:
        """Build the extensions, or print why there are none."""
        try:
            self._check_compiler()  # in seconds; translating takes ten times as long
            self.extensions = self._translated()
            self._compiled = count(1)
        except Exception as error:
            self._do_without(error)
            self.extensions = []
        super().build_extensions()

    def build_extension(self, ext: Extension) -> None:
        """Compile one module, and print its name."""
        try:
            super().build_extension(ext)
        except Exception as error:
            self._do_without(error)
        else:
            print(  # noqa: T201 (pip shows it with -v)
                f"native core: {next(self._compiled)} of {len(self.extensions)} compiled ({ext.name})",
                flush=True,
            )

    def _check_compiler(self) -> None:
        trial = Path(self.build_temp, "trial.c")
        trial.parent.mkdir(parents=True, exist_ok=True)
        trial.write_text("#include <Python.h>\n")
        self.compiler.compile([str(trial)], output_dir=self.build_temp, include_dirs=self.include_dirs)

    def _translated(self) -> list[Extension]:
        import lxml  # noqa: PLC0415 (both are there only in the environment of a build)
        from Cython.Build import cythonize  # noqa: PLC0415

        print(f"native core: {len(self.extensions)} modules, {self.parallel} at once", flush=True)  # noqa: T201
        translations = Path(self.build_temp, "cython")
        types_changed = max(Path(types).stat().st_mtime for types in glob("scrapy_tps/engine/_native/*.pxd"))
        for ext in self.extensions:
            ext.include_dirs = list(lxml.get_include())
            source = Path(ext.sources[0])
            if source.suffix == ".py":
                ext.define_macros = [("SCRAPY_TPS_SOURCE", str(zlib.crc32(source.read_bytes()) >> 1))]
                translation = translations / source.with_suffix(
                    ".c"
                )  # Cython looks for types next to the source
                if translation.exists() and translation.stat().st_mtime < types_changed:
                    translation.unlink()
            if self.compiler.compiler_type == "unix":
                # a fused product and sum differs from Python's in the last bit, so results would differ; debug symbols
                # are two thirds of a wheel and a fifth of the time; walk and columns are faster with -O3, by 5 and 3 %;
                # without stubs for calls of Python's functions, a strategy misses the instruction cache less, by 3 %
                level = "-O3" if ext.name.endswith((".walk", ".columns")) else "-O2"
                ext.extra_compile_args = ["-ffp-contract=off", "-g0", level]
                if sys.platform == "linux":
                    ext.extra_compile_args.append("-fno-plt")
        translated = cythonize(
            self.extensions,
            build_dir=str(translations),
            nthreads=self.parallel if self.parallel > 1 else 0,
            quiet=True,
            compiler_directives=DIRECTIVES,
        )
        for ext, made in zip(self.extensions, translated, strict=True):
            ext.sources = made.sources
        return self.extensions

    def _do_without(self, error: Exception) -> None:
        if WISH == "1":
            raise error
        self.warn(f"scrapy-tps installs without its native core: {error}")


def core_modules() -> list[tuple[str, str]]:
    """Return the names of the core's modules, and the sources of each."""
    sources = glob("scrapy_tps/engine/_native/*.pyx")
    sources += [
        f"scrapy_tps/engine/loops/{Path(types).stem}.py"
        for types in glob("scrapy_tps/engine/_native/*.pxd")
        if Path(f"scrapy_tps/engine/loops/{Path(types).stem}.py").exists()
    ]
    return sorted((f"scrapy_tps.engine._native.{Path(source).stem}", source) for source in sources)


# without Cython, setuptools would look for C sources that are not there
core = (
    [Extension(name, [source], optional=WISH != "1") for name, source in core_modules()]
    if WISH != "0" and (WISH == "1" or (find_spec("Cython") and find_spec("lxml")))
    else []
)

if __name__ == "__main__":  # the processes that translate may import this
    setup(
        ext_modules=core,
        cmdclass={"build_ext": BuildNativeCore},
        long_description=run_path("docs/description.py")["description"](
            Path("README.md").read_text(encoding="utf-8")
        ),
    )
