"""The installed tree, its pkg-config file, and an uninstall that leaves nothing."""

from __future__ import annotations

import os
import re
from pathlib import Path

from declarations import HEADERS
from tree import INCLUDE, ROOT, Stage, output

#: The plugins that ship; `check` contains the tool that checks plugins.
PLUGINS = [
    path.name
    for path in sorted((ROOT / "Plugins").iterdir())
    if path.is_dir() and path.name != "check"
]
#: The parts of restway.hpp.
CPP_HEADERS = sorted((INCLUDE / "restway" / "cpp").glob("*.hpp"))


def _make(verb: str, *variables: str) -> None:
    # Inside `make test`, the variables of the outer make must not reach this one.
    own = {
        "MFLAGS", "PREFIX", "BINDIR", "LIBDIR", "INCLUDEDIR", "DOCDIR", "DESTDIR", "LIBRARY",
    }
    names = [name for name in os.environ if name.startswith("MAKE") or name in own]
    clean = [word for name in names for word in ("-u", name)]
    output("env", *clean, "make", "--no-print-directory", verb, *variables, cwd=ROOT)


def _files(directory: Path) -> set[str]:
    return {
        str(path.relative_to(directory))
        for path in directory.rglob("*")
        if path.is_symlink() or not path.is_dir()
    }


def _documents() -> list[Path]:
    top = [ROOT / name for name in ("LICENSE", "README.md", "CHANGELOG.md")]
    docs = [path for kind in ("*.md", "*.json", "*.supp") for path in (ROOT / "docs").glob(kind)]
    return [path for path in [*top, *docs] if path.exists() and path != ROOT / "docs" / "README.md"]


def _expected(lib: str, include: str, doc: str) -> set[str]:
    return {
        "bin/restway-plugin-check",
        *(f"{lib}/librestway.so{suffix}" for suffix in ("", ".0", ".0.1.0")),
        f"{lib}/pkgconfig/restway.pc",
        *(f"{lib}/restway/plugins/{name}.so" for name in PLUGINS),
        *(f"{include}/restway/{header.name}" for header in HEADERS),
        f"{lib}/cmake/restway/restwayConfig.cmake",
        f"{lib}/cmake/restway/restwayConfigVersion.cmake",
        f"{include}/restway/module.modulemap",
        f"{include}/restway/restway.api.json",
        f"{include}/restway.hpp",
        *(f"{include}/restway/cpp/{header.name}" for header in CPP_HEADERS),
        f"{doc}/INDEX.md",
        *(f"{doc}/{document.name}" for document in _documents()),
    }


def _install(stage: Stage, destination: Path, *variables: str) -> None:
    _make("install-files", f"LIBRARY={stage.library}", f"DESTDIR={destination}", *variables)


def test_install_puts_everything_in_its_place(stage: Stage, tmp_path: Path) -> None:
    _install(stage, tmp_path, "PREFIX=/opt/restway")
    expected = _expected("lib", "include", "share/doc/restway")
    assert _files(tmp_path / "opt" / "restway") == expected
    assert (tmp_path / "opt/restway/lib/restway/plugins").is_dir()
    assert [path.name for path in tmp_path.iterdir()] == ["opt"]


_FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\((?!\w+:)([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def _anchors(document: Path) -> set[str]:
    """The names that a viewer of Markdown gives to headings."""
    headings = _HEADING.findall(_FENCED.sub("", document.read_text()))
    texts = [re.sub(r"\]\([^)]*\)", "", heading) for heading in headings]
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in texts}


def _broken_links(document: Path) -> list[str]:
    broken = []
    for target in _LINK.findall(_FENCED.sub("", document.read_text())):
        path, _, anchor = target.partition("#")
        place = document.parent / path if path else document
        is_there = place.exists() and (not anchor or anchor in _anchors(place))
        if not is_there:
            broken.append(f"{document.name}: {target}")
    return broken


def test_installed_documents_have_no_broken_links(stage: Stage, tmp_path: Path) -> None:
    for variables in (["PREFIX=/usr"], ["PREFIX=/usr", "DOCDIR=/usr/share/doc/librestway-dev"]):
        folder = tmp_path / variables[-1].replace("/", "-")
        _install(stage, folder, *variables)
        documents = [*folder.rglob("*.md")]
        assert len(documents) > 40
        links = [_LINK.findall(document.read_text()) for document in documents]
        # Links to headers and to other documents are still links.
        assert sum(map(len, links)) > 400
        assert any(target.endswith(".h") for found in links for target in found)
        assert [link for document in documents for link in _broken_links(document)] == []


def test_documents_that_installed_headers_name_are_installed(stage: Stage, tmp_path: Path) -> None:
    _install(stage, tmp_path, "PREFIX=/usr")
    include = tmp_path / "usr/include"
    texts = [path.read_text() for path in include.rglob("*") if path.suffix in (".h", ".hpp")]
    named = {name for text in texts for name in re.findall(r"\bdocs/([\w./-]+\.md)", text)}
    assert len(named) > 20
    documents = tmp_path / "usr/share/doc/restway"
    assert [name for name in named if not (documents / name).exists()] == []


def test_install_makes_relative_links(stage: Stage, tmp_path: Path) -> None:
    _install(stage, tmp_path, "PREFIX=/usr")
    lib = tmp_path / "usr" / "lib"
    assert os.readlink(lib / "librestway.so.0") == "librestway.so.0.1.0"
    assert (lib / "librestway.so").resolve() == lib / "librestway.so.0.1.0"
    assert os.access(lib / "librestway.so.0.1.0", os.X_OK)


def test_install_honours_libdir(stage: Stage, tmp_path: Path) -> None:
    _install(stage, tmp_path, "PREFIX=/usr", "LIBDIR=/usr/lib/x86_64-linux-gnu")
    expected = _expected("lib/x86_64-linux-gnu", "include", "share/doc/restway")
    assert _files(tmp_path / "usr") == expected
    pc = tmp_path / "usr/lib/x86_64-linux-gnu/pkgconfig/restway.pc"
    assert "libdir=${prefix}/lib/x86_64-linux-gnu\n" in pc.read_text()


def test_uninstall_leaves_nothing(stage: Stage, tmp_path: Path) -> None:
    other = tmp_path / "usr/local/include/other.h"
    other.parent.mkdir(parents=True)
    other.write_text("/* someone else's */\n")
    _install(stage, tmp_path)
    assert len(_files(tmp_path)) > 1
    _make("uninstall", f"DESTDIR={tmp_path}")
    assert _files(tmp_path) == {"usr/local/include/other.h"}
    left = {path.name for path in (tmp_path / "usr/local").rglob("*")}
    assert "restway" not in left


def test_uninstall_keeps_plugins_of_others(stage: Stage, tmp_path: Path) -> None:
    _install(stage, tmp_path)
    plugin = tmp_path / "usr/local/lib/restway/plugins/other.so"
    plugin.write_bytes(b"")
    _make("uninstall", f"DESTDIR={tmp_path}")
    assert plugin.exists()


def test_pkg_config_file_knows_its_prefix(stage: Stage) -> None:
    assert stage.pkg_config("--modversion") == ["0.1.0"]
    assert stage.pkg_config("--cflags") == [f"-I{stage.prefix}/include"]
    assert stage.pkg_config("--libs") == [f"-L{stage.prefix}/lib", "-lrestway"]
    assert stage.pkg_config("--static", "--libs") == [f"-L{stage.prefix}/lib", "-lrestway"]
    assert stage.pkg_config("--variable=plugindir") == [f"{stage.prefix}/lib/restway/plugins"]


def test_pkg_config_file_is_relocatable(stage: Stage) -> None:
    words = stage.pkg_config("--define-variable=prefix=/elsewhere", "--cflags", "--libs")
    assert words == ["-I/elsewhere/include", "-L/elsewhere/lib", "-lrestway"]
    words = stage.pkg_config("--define-variable=prefix=/elsewhere", "--variable=plugindir")
    assert words == ["/elsewhere/lib/restway/plugins"]


def test_installed_files_hold_no_placeholder(stage: Stage) -> None:
    files = [
        stage.prefix / "lib/pkgconfig/restway.pc",
        *(stage.prefix / "lib/cmake/restway").glob("*.cmake"),
    ]
    assert len(files) == 3
    assert [path.name for path in files if "@" in path.read_text()] == []
