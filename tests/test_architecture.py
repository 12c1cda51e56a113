"""The promises of docs/explanation/architecture.md about the modules."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

import scrapy_tps
from scrapy_tps.engine import core

PACKAGE = Path(scrapy_tps.__file__).parent
#: The order in which the packages may depend on each other, from the top down; those on one line not at all.
COMPONENTS = (
    "addon commands contracts downloadermiddlewares extensions monitors pipelines spidermiddlewares spiders"
)

#: What ``response.tps.records()``, ``.next_page()`` and ``.markdown(records=True)`` import when they are called.
ON_DEMAND = {
    ("scrapy_tps.engine.pruned_page", f"scrapy_tps.records.{module}")
    for module in ("extract", "next_page", "record_tables")
}


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("scrapy_tps", include_external_packages=True, cache_dir=None)


def test_the_engine_and_the_records_know_nothing_of_scrapy(graph: grimp.ImportGraph) -> None:
    for package in ("scrapy_tps.engine", "scrapy_tps.proposals", "scrapy_tps.records"):
        assert not graph.chain_exists(importer=package, imported="scrapy", as_packages=True), package


def test_nothing_imports_the_methods_of_the_literature(graph: grimp.ImportGraph) -> None:
    below = graph.find_descendants("scrapy_tps.literature") | {"scrapy_tps.literature"}
    importers = {importer for module in below for importer in graph.find_modules_that_directly_import(module)}
    assert importers <= below
    assert not graph.chain_exists(importer="scrapy_tps.literature", imported="scrapy", as_packages=True)


def test_there_is_no_circle_among_modules(graph: grimp.ImportGraph) -> None:
    below = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    order = list(TopologicalSorter(below).static_order())  # raises CycleError, with the circle
    assert set(order) >= graph.modules


def test_there_is_no_circle_among_packages() -> None:
    # what is imported for types alone is not there when the code runs
    graph = grimp.build_graph("scrapy_tps", exclude_type_checking_imports=True, cache_dir=None)
    below: dict[str, set[str]] = {}
    for module in graph.modules - {"scrapy_tps"}:  # which gathers what users import
        imported = graph.find_modules_directly_imported_by(module) - {"scrapy_tps"}
        below.setdefault(module.split(".")[1], set()).update(
            one.split(".")[1] for one in imported if (module, one) not in ON_DEMAND
        )
    for package, others in below.items():
        others.discard(package)
    assert set(TopologicalSorter(below).static_order()) >= set(below)  # raises CycleError, with the circle


def test_nothing_depends_on_the_components(graph: grimp.ImportGraph) -> None:
    for package in ("engine", "records", "stats", "settings", "report"):
        for component in COMPONENTS.split():
            assert not graph.direct_import_exists(
                importer=f"scrapy_tps.{package}", imported=f"scrapy_tps.{component}", as_packages=True
            ), f"{package} imports {component}"


@pytest.mark.parametrize("folder", [PACKAGE, Path(__file__).parent], ids=["package", "tests"])
def test_no_module_has_more_than_450_lines(folder: Path) -> None:
    long = {
        path.name: lines
        for path in folder.rglob("*.py")
        if (lines := path.read_text(encoding="utf-8").count("\n")) > 450
    }
    assert not long


def test_tests_lie_where_the_package_is() -> None:
    tests = Path(__file__).parent
    untested = [
        str(folder.relative_to(PACKAGE))
        for folder in PACKAGE.rglob("*/")
        if any(folder.glob("*.py")) and not any((tests / folder.relative_to(PACKAGE)).glob("test_*.py"))
    ]
    # what commands share is tested by commands, the core by its twins, loops by their rules
    assert sorted(untested) == ["commandline", "engine/_native", "engine/loops"]


def test_few_files_lie_at_the_top() -> None:
    assert len([path for path in PACKAGE.iterdir() if path.is_file() and path.suffix != ".so"]) <= 24


#: What Python, lxml and Scrapy offer under such names.
_PUBLIC_UNDERSCORES = {
    "_asdict", "_fields", "_getframe", "_make", "_replace", "_Element", "_ElementTree", "_parse",
}  # fmt: skip


def own_names(tree: ast.Module) -> set[str]:
    """The names that a module itself defines: functions, attributes of its classes, slots."""
    names = set(_PUBLIC_UNDERSCORES)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.update({node.attr} if is_own(node.value) else ())
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.add(node.value)
    return names


def is_own(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id == "super"
    return isinstance(value, ast.Name) and value.id in ("self", "cls")


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.stem)
def test_nothing_private_of_another_modules_class_is_used(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    own = own_names(tree)
    foreign = [
        f"{path.name}:{node.lineno} {ast.unparse(node)}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and not is_own(node.value)
        and node.attr not in own
    ]
    assert foreign == []


def test_loops_are_written_once_and_compiled() -> None:
    loops = {path.stem for path in (PACKAGE / "engine" / "loops").glob("*.py")} - {"__init__"}
    assert loops == set(core.LOOPS) - {"arrays"}
    assert all((PACKAGE / "engine" / "_native" / f"{name}.pxd").exists() for name in loops)


def test_few_modules_have_a_native_twin() -> None:
    modules = {path.stem for path in (PACKAGE / "engine" / "_native").glob("*.pyx")}
    assert modules == {*core.MODULES, "arrays"}
    assert len(modules) <= 8


def public_names(path: Path) -> set[str]:
    """The functions and classes at the top of a module that others may import."""
    return {
        node.name
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.name[0] != "_"
    }


def test_a_public_name_means_one_thing() -> None:
    paths: dict[str, list[Path]] = {}
    for path in PACKAGE.rglob("*.py"):
        for name in public_names(path):
            paths.setdefault(name, []).append(path)
    shared = {name: found for name, found in paths.items() if len(found) > 1}
    # a rule of a strategy calls its loop by the same name
    of_rules = {
        name for name, found in shared.items() if {"auto", "loops"} == {one.parent.name for one in found}
    }
    assert shared.keys() - of_rules == {"Command"}  # Scrapy calls all commands so
