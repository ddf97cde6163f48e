"""The C++ header of a document compiles; its structs are read from objects and set in drafts."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tree import INCLUDE, ROOT, STRICT, Stage, output

PROGRAM = """
#include "tracker.hpp"

#include <cstdlib>
#include <iostream>

int main() {
    restway::client_options options;
    options.base_url = std::getenv("RESTWAY_DEMO_URL");
    auto api = restway::api::load_file("examples/tracker.restway.json");
    auto client = restway::client::create(api, options);

    tracker::Issue issue = client.get("repos/octo/hello/issues/5").first().as<tracker::Issue>();
    std::cout << *issue.number << ' ' << *issue.title << ' ' << issue.body.has_value() << '\\n';
    std::cout << issue.created->time_since_epoch().count() << '\\n';
    auto page = client.perform(restway::request::route("issues").parameter("per_page", 3));
    for (const tracker::Issue &one : page.objects().as<tracker::Issue>()) {
        std::cout << *one.number << '\\n';
    }

    tracker::Issue changed;
    changed.body = "Page 7";
    auto draft = client.store().draft(client.store().find("Issue", 5)).set(changed);
    std::cout << draft.changes().size() << '\\n';
    std::cout << *client.patch(draft).first().as<tracker::Issue>().body << '\\n';
    try {
        client.store().find("Issue", 5).as<tracker::Label>();
    } catch (const restway::error &error) {
        std::cout << error.what() << '\\n';
    }
}
"""
PRINTED = """5 Typo in the manual 0
1772701200000000
1
2
3
1
Page 7
the object is of Issue, and the struct for objects of Label
"""


def _write(document: Path, header: Path, stage: Stage) -> None:
    output(
        sys.executable, "-m", "restway_tools.stubs", document, "--cpp", "--output", header,
        env=stage.environment,
    )


def test_structs_are_read_and_set(stage: Stage, demo_url: str, tmp_path: Path) -> None:
    _write(ROOT / "examples" / "tracker.restway.json", tmp_path / "tracker.hpp", stage)
    source = tmp_path / "program.cpp"
    source.write_text(PROGRAM)
    stage.compile("g++", "c++17", source, tmp_path / "program", words=["-Wshadow"])
    assert output(tmp_path / "program", env=stage.environment, cwd=ROOT) == PRINTED


def test_strange_names_compile(stage: Stage, tmp_path: Path) -> None:
    kinds = ["any", "bool", "int", "double", "string", "date", "bytes", "json"]
    attributes = {f"{kind}_of": {"type": kind} for kind in kinds}
    names = ["class", "a-b", "a_b", "3d", "visit", "Self", "self", "entity", 'q"\\', "\u00e9"]
    entities = {
        "restway": {"attributes": {**attributes, **dict.fromkeys(names, "x")}},
        "empty": {"attributes": {}},
        "std": {"attributes": {"std": "std", "value": "value", "optional": "optional"}},
    }
    document = tmp_path / "strange.json"
    document.write_text(json.dumps({"restway": 1, "entities": entities}))
    _write(document, tmp_path / "strange.hpp", stage)
    source = tmp_path / "strange.cpp"
    source.write_text(
        '#include "strange.hpp"\n'
        "template std::vector<strange::restway_2> restway::list::as() const;\n"
        "template std::vector<strange::empty> restway::list::as() const;\n"
        "template std::vector<strange::std_2> restway::list::as() const;\n"
        "template restway::draft &restway::draft::set(const strange::restway_2 &);\n"
    )
    output("g++", "-std=c++17", *STRICT, "-fsyntax-only", f"-I{INCLUDE}", source)
