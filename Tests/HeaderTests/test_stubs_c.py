"""The C header of a document compiles; its structs are filled from objects and set in drafts."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tree import INCLUDE, ROOT, STRICT, Stage, language, output

PROGRAM = """
#include "tracker.h"

static restway_error *error;

static int failed(void) {
    fprintf(stderr, "%s\\n", restway_error_message(error));
    restway_error_release(error);
    return 1;
}

int main(void) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_client *client = NULL;
    restway_response *response = NULL;
    restway_draft *draft = NULL;
    restway_request *request = NULL;
    restway_store *store;
    tracker_issue issue, changed, page[3];
    tracker_label label;
    size_t index, count = 0;
    options.base_url = getenv("RESTWAY_DEMO_URL");
    if (restway_client_create_file("examples/tracker.restway.json", &options, &client, &error) ||
        restway_client_get(client, "repos/octo/hello/issues/NUMBER", &response, &error) ||
        restway_object_fill(
            restway_response_object(response, 0), &tracker_issue_fields, &issue, &error)) {
        return failed();
    }
    printf(
        "%d %s, its body is null: %d\\n", (int)issue.number, issue.title,
        issue.states.body == RESTWAY_FIELD_NULL && issue.body == NULL);
    printf("open or closed: %d\\n", issue.state[0] == 'o' || issue.state[0] == 'c');
    store = restway_client_store(client);
    memset(&changed, 0, sizeof changed);
    RESTWAY_SET(changed, body, "Page 7");
    if (restway_draft_copy(store, restway_response_object(response, 0), &draft, &error) ||
        restway_draft_set_fields(draft, &tracker_issue_fields, &changed, &error) ||
        restway_draft_changes(draft, NULL, 0, &count, &error)) {
        return failed();
    }
    printf("%d\\n", (int)count);
    restway_response_release(response);
    if (restway_client_patch_draft(client, draft, &response, &error) ||
        restway_response_fill(response, 0, 1, &tracker_issue_fields, &changed, &error)) {
        return failed();
    }
    puts(changed.body);
    if (restway_object_fill(
            restway_response_object(response, 0), &tracker_label_fields, &label, &error)) {
        puts(restway_error_message(error));
    }
    restway_error_release(error);
    restway_response_release(response);
    if (restway_request_create_route(NULL, "issues", &request, &error) ||
        restway_request_set_parameter_int64(request, "per_page", 3, &error) ||
        restway_client_perform(client, request, 0, &response, &error) ||
        restway_response_fill(response, 0, 3, &tracker_issue_fields, page, &error)) {
        return failed();
    }
    for (index = 0; index < 3; index++) {
        printf("%d\\n", (int)page[index].number);
    }
    restway_request_release(request);
    restway_response_release(response);
    restway_draft_release(draft);
    restway_store_release(store);
    restway_client_release(client);
    return restway_debug_live_handles() != 0;
}
"""
#: The dialects, and the issue that the program of each changes, with its title and its date.
RUNS = [
    ("gcc", "c99", 8, "Slow start on old machines"),
    ("clang", "c2x", 9, "Document the settings"),
    ("g++", "c++11", 10, "Undo does not undo"),
    ("clang++", "c++20", 11, "Translate into Welsh"),
]
PRINTED = """{number} {title}, its body is null: 1
open or closed: 1
1
Page 7
the object is of Issue, and the struct for objects of Label
1
2
3
"""
#: With extensions of GNU, more names are macros.
DIALECTS = [
    ("gcc", "gnu99"), ("gcc", "c2x"), ("clang", "gnu11"), ("clang", "c99"), ("g++", "gnu++11"),
    ("clang++", "c++20"),
]
KINDS = ["any", "bool", "int", "double", "string", "date", "bytes", "json"]


def _write(document: Path, header: Path, stage: Stage) -> None:
    output(
        sys.executable, "-m", "restway_tools.stubs", document, "--c", "--output", header,
        env=stage.environment,
    )


@pytest.mark.parametrize(("compiler", "standard", "number", "title"), RUNS)
def test_structs_are_filled_and_set(
    compiler: str, standard: str, number: int, title: str, stage: Stage, demo_url: str,
    tmp_path: Path,
) -> None:
    _write(ROOT / "examples" / "tracker.restway.json", tmp_path / "tracker.h", stage)
    source = tmp_path / "program.c"
    source.write_text(PROGRAM.replace("NUMBER", str(number)))
    stage.compile(compiler, standard, source, tmp_path / "program", words=["-Wshadow"])
    printed = output(tmp_path / "program", env=stage.environment, cwd=ROOT)
    assert printed == PRINTED.format(number=number, title=title)


def _object_macros(compiler: str) -> list[str]:
    """Returns the names of the macros without parameters that the headers define."""
    lines = output(
        compiler, "-std=gnu11", "-dM", "-E", f"-I{INCLUDE}", "-include", "restway/restway.h",
        "-x", "c", "/dev/null",
    ).splitlines()
    names = [line.split()[1] for line in lines if line.startswith("#define ")]
    return [name for name in names if "(" not in name]


def _strange_document(folder: Path) -> Path:
    odd = ["class", "a-b", "a_b", "3d", "states", "restrict", "_Bool", 'q"\\', "\u00e9", "??/"]
    attributes = {
        **{f"{kind}_of": {"type": kind} for kind in KINDS},
        **dict.fromkeys([*odd, *_object_macros("gcc"), *_object_macros("clang")], "x"),
    }
    entities = {
        "Client": {"attributes": attributes},
        "client": {"attributes": {"texts": {"type": ["string"]}}},
        "empty": {"attributes": {}},
        "clientFields": {"attributes": {"a": "a"}},
        "t": {"attributes": {"size_t": "b"}},
        "\n*/": {"attributes": {"a": "a"}},
    }
    document = folder / "strange.json"
    document.write_text(json.dumps({"restway": 1, "entities": entities}))
    return document


@pytest.mark.parametrize(("compiler", "standard"), DIALECTS)
@pytest.mark.parametrize("prefix", ["size", "restway", "int"])
def test_strange_names_compile(
    compiler: str, standard: str, prefix: str, stage: Stage, tmp_path: Path
) -> None:
    header = tmp_path / f"{prefix}.h"
    _write(_strange_document(tmp_path), header, stage)
    structs = [
        line.removesuffix(";").split()[-1]
        for line in header.read_text().splitlines()
        if line.startswith("} ") and not line.endswith("states;")
    ]
    assert len(structs) == len(set(structs)) == 6
    source = tmp_path / "strange.c"
    source.write_text(
        f'#include "{header.name}"\n#include "{header.name}"\n'
        "restway_status fill(const restway_object *object);\n"
        "restway_status fill(const restway_object *object) {\n"
        + "".join(
            f"    {{\n        {name} one;\n        restway_status status ="
            f" restway_object_fill(object, &{name}_fields, &one, NULL);\n"
            "        if (status) return status;\n    }\n"
            for name in structs
        )
        + "    return RESTWAY_OK;\n}\n"
    )
    output(
        compiler, f"-std={standard}", *STRICT, "-fsyntax-only", f"-I{INCLUDE}",
        "-x", language(compiler), source,
    )
