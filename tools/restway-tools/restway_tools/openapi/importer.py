"""Makes an API document of an OpenAPI description: the layers of this package in their order."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .bodies import Bodies
from .capabilities import Capabilities
from .entities import Entities
from .failures import errors_of
from .identity import decide_identities
from .jsonapi import is_jsonapi, read_jsonapi
from .kin import Kin
from .landing import landing_of
from .model import Description, Scheme
from .notes import Report
from .operations import alternatives, read_operations
from .overrides import Overrides, merged
from .reading import Files, ReadError
from .refusals import drop_refused
from .resources import Resources, every_object
from .routes import Routes
from .schemas import Schemas
from .servers import chosen_scheme, read_schemes, read_servers
from .swagger import converted


@dataclass
class Imported:
    """The API document of a description, with the report of the import."""

    document: dict[str, Any]
    report: Report
    description: Description


def import_openapi(
    file: str | Path,
    overrides: Overrides | None = None,
    capabilities: Capabilities | None = None,
) -> Imported:
    """Returns the API document of a description in a file: OpenAPI 3.0 or 3.1, or Swagger 2.

        imported = restway_tools.openapi.import_openapi("petstore.yaml")
        api = restway.API.from_json(imported.document)

    Args:
        file: JSON, or YAML if PyYAML is installed. Its references may lead to files in its folder
            and below; nothing is read over the network.
        overrides: What the importer would get wrong.
        capabilities: What the API document can say, by default what this version reads.

    Broken parts are left out and stand in the report. Raises ReadError (a ValueError) if the file
    cannot be read, or is no description.
    """
    report = Report()
    description = read_description(Path(file), report)
    known = overrides or Overrides()
    can_say = capabilities or Capabilities.of_library()
    resources = _resources(description, known, report, can_say)
    bodies = Bodies(description.operations, resources, report)
    bodies.read()
    if can_say.object_maps:
        resources.add_keys()
    entities = Entities(can_say, report, resources.by_name)
    routes = Routes(
        description.operations, resources, bodies, entities, report,
        is_jsonapi=description.is_jsonapi,
    )  # fmt: skip
    document = _document(description, routes, entities, report)
    places = {("entities", one.name): one.place for one in resources.by_name.values()}
    places.update((("routes", one.name), one.node.place) for one in description.operations)
    drop_refused(document, places, report)
    report.counts = {
        "operations": len(description.operations),
        "routes": len(document["routes"]),
        "entities": len(document["entities"]),
    }
    return Imported(merged(document, known.document), report, description)


def read_description(file: Path, report: Report) -> Description:
    """Reads a description into the model. Raises ReadError."""
    root = Files(file, report, converted).root
    version = str(root.members.get("openapi", root.members.get("swagger", "")))
    if not version.startswith(("2", "3")):
        raise ReadError(f"{file.name}: it is no description of OpenAPI 3 or Swagger 2")
    operations = read_operations(root, Schemas())
    is_format = is_jsonapi(operations)
    if is_format:
        read_jsonapi(operations, report)
    return Description(
        root,
        operations,
        read_servers(root, operations),
        read_schemes(root),
        alternatives(root.get("security")),
        root.get("info").text("title") or "",
        root.get("info").text("version") or "",
        is_format,
    )


def _resources(
    description: Description, overrides: Overrides, report: Report, can_say: Capabilities
) -> Resources:
    kin = Kin()
    resources = Resources(report, overrides.schemas, kin, has_unions=can_say.unions)
    targets = []
    for operation in description.operations:
        for answer in operation.successes:
            for content in answer.contents:
                landing = landing_of(content.kind) if content.kind is not None else None
                if landing is None or content.kind is None:
                    continue
                for _, value in content.examples if content.envelope is None else ():
                    kin.look(content.kind, value)
                if landing.target is not None:
                    targets.append((landing.target, operation.name))
    objects = every_object(target for target, _ in targets)
    kin.read(target for target, _ in targets)
    resources.add_named(one for one in objects if one.name is not None)
    for target, name in targets:
        resources.resource(target, name)
    resources.complete()
    if can_say.object_maps:
        resources.add_keys()
    decide_identities(resources, description.operations, overrides.identities, report)
    return resources


def _document(
    description: Description, routes: Routes, entities: Entities, report: Report
) -> dict[str, Any]:
    auth = _auth(description, report)
    for operation in description.operations:
        routes.add(operation, has_auth=auth is not None)
    webhooks = description.root.get("webhooks")
    if webhooks.members:
        webhooks.note("left out", "the requests of the server to the program")
    servers = description.servers
    environments: dict[str, Any] = {}
    for server in servers:
        environments[server.name] = {"baseURL": server.url}
        if server.variables:
            environments[server.name]["x-variables"] = server.variables
    document: dict[str, Any] = {"restway": 1}
    if description.is_jsonapi:
        document["format"] = "jsonapi"
    document["x-source"] = {"title": description.title, "version": description.version}
    if len(servers) > 1:
        document["environment"] = servers[0].name
    if environments:
        document["environments"] = environments
    document["entities"] = entities.written
    document["unions"] = entities.unions
    responses = routes.shared_responses()
    document["routes"] = routes.written
    if responses:
        document["responses"] = responses
    errors = None if description.is_jsonapi else errors_of(description.operations)
    if not entities.unions:
        del document["unions"]
    if errors is not None:
        document["errors"] = errors
    if auth is not None:
        document["auth"] = auth
    return document


def _auth(description: Description, report: Report) -> dict[str, Any] | None:
    """Returns the scheme that most operations accept; all others are noted. Operations that take no
    credential, or another kind of credential, get none.
    """
    for operation in description.operations:
        accepted = description.security if operation.security is None else operation.security
        operation.accepted = accepted
    uses = [operation.accepted for operation in description.operations]
    name = chosen_scheme(description.schemes, description.security, uses)
    for scheme in description.schemes.values():
        if scheme.name == name:
            if scheme.reason:
                scheme.node.note("bent", scheme.reason)
        else:
            reason = scheme.reason or f"the document has one scheme, which is {name!r}"
            scheme.node.note("left out", reason)
    if name is None:
        return None
    for operation in description.operations:
        accepted = operation.accepted
        operation.has_credential = any(
            name in one or any(_is_like(description.schemes, name, other) for other in one)
            for one in accepted
        )
        if not operation.has_credential and any(accepted):
            reason = f"its requests have no credential, because they do not take {name!r}"
            operation.node.note("bent", f"{reason}: the program gives it")
        elif operation.has_credential and [name] not in accepted:
            operation.node.note("bent", f"its requests are authorised by {name!r}")
    return description.schemes[name].auth


def _is_like(schemes: dict[str, Scheme], name: str, other: str) -> bool:
    """Returns whether the credentials of two schemes are sent in the same way: as bearer tokens, or
    under one name.
    """
    one, two = schemes.get(name), schemes.get(other)
    if one is None or two is None or one.auth is None or two.auth is None:
        return False
    tokens = ("bearer", "oauth2")
    are_tokens = one.auth["scheme"] in tokens and two.auth["scheme"] in tokens
    return are_tokens or one.auth == two.auth
