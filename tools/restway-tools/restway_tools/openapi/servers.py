"""Reads the servers of a description and its schemes of authentication."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any
from urllib.parse import SplitResult, urlsplit

from .model import Operation, Scheme, Server
from .notes import NoteKind
from .reading import Node

_SERVERS_MAX = 50
"""How many environments the values of a server's variables may make."""

_NAME_MAX = 40
"""How long the description of a server may be to become the name of an environment."""

_HOST = re.compile(r"(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
"""A host with an optional port: base URLs have no user and no password."""


def read_servers(root: Node, operations: Iterable[Operation]) -> list[Server]:
    """Returns the usable servers, the default one first: one for each combination of the values
    that the variables of the API's servers list, and one for each other server of an operation.

    Operations whose server is not a server of the API get its name. What is no base URL is noted
    and left out alone.
    """
    servers: dict[str, Server] = {}
    nodes = list(root.get("servers").elements())
    for node in nodes:
        for values in _combinations(node, node.text("url") or ""):
            url = _usable(node, _filled(node.text("url") or "", values), "left out")
            if url is not None and url not in servers:
                servers[url] = Server(_server_name(node, values, servers), url, values)
    of_api = set(servers)
    uses: Counter[str] = Counter()
    for operation in operations:
        url = _own_url(operation, nodes, of_api)
        if url is not None:
            if url not in servers:
                name = _free_name(split_url(url).netloc, servers)
                servers[url] = Server(name, url)
            operation.environment = servers[url].name
            uses[url] += 1
    found = list(servers.values())
    if not of_api and found:  # the environment that most operations have is the default
        found.sort(key=lambda one: -uses[one.url])
    if not found:
        root.note("bent", "it has no usable server: clients need a base URL (base_url)")
    for operation in operations:
        if found and operation.environment == found[0].name:
            operation.environment = None
        elif operation.environment is not None:
            reason = "it has a server of its own: clients of the environment"
            operation.node.note("bent", f"{reason} {operation.environment!r} call it")
    return found


def _own_url(operation: Operation, nodes: list[Node], of_api: set[str]) -> str | None:
    """Returns the base URL of an operation whose servers are not those of the API."""
    own = operation.server_nodes
    if any(node.value == one.value for node in own for one in nodes):
        return None
    usable = [_usable(node, _default_url(node), "bent") for node in own]
    urls = [url for url in usable if url is not None]
    return urls[0] if urls and of_api.isdisjoint(urls) else None


def _default_url(node: Node) -> str:
    """Returns the URL of a server with the defaults of its variables."""
    url = node.text("url") or ""
    return _filled(url, _combinations(node, url)[0])


def _usable(node: Node, url: str, kind: NoteKind) -> str | None:
    """Returns a URL as a base URL, or notes that the URL cannot be a base URL."""
    parts = split_url(url)
    is_plain = _HOST.fullmatch(parts.netloc) and not re.search(r"[{}\s]", parts.path)
    if is_plain and parts.scheme in ("http", "https") and _has_port(parts):
        return url.split("?")[0].split("#")[0].rstrip("/")
    if not url:
        reason = "a server without a URL"
    elif "@" in parts.netloc:
        reason = "a URL with a user or a password is no base URL"
    elif not parts.scheme and not parts.netloc:
        reason = f"the URL {url!r} is no base URL, because it is relative to the description"
    else:
        reason = f"the URL {url!r} is no base URL"
    node.note(kind, reason if kind == "left out" else f"{reason}, so the route is relative")
    return None


def _has_port(parts: SplitResult) -> bool:
    """Returns whether the port of a URL is a number of a port, or missing."""
    try:
        return parts.port is None or parts.port > 0
    except ValueError:
        return False


def split_url(url: str) -> SplitResult:
    """Returns the parts of a URL. The parts of a text that is no URL are empty."""
    try:
        return urlsplit(url)
    except ValueError:
        return SplitResult("", "", "", "", "")


def _filled(url: str, values: dict[str, str]) -> str:
    return re.sub(r"\{([^{}]+)\}", lambda match: values.get(match[1], ""), url)


def _combinations(node: Node, url: str) -> list[dict[str, str]]:
    choices: list[list[tuple[str, str]]] = []
    count = 1
    for name in dict.fromkeys(re.findall(r"\{([^{}]+)\}", url)):
        variable = node.get("variables", name)
        default = str(variable.members.get("default", ""))
        values = [str(value.value) for value in variable.get("enum").elements()] or [default]
        if default in values:  # the default is the first one
            values.remove(default)
            values.insert(0, default)
        if count * len(values) > _SERVERS_MAX:
            variable.note("left out", "the values of this variable beside its default")
            values = values[:1]
        count *= len(values)
        choices.append([(name, value) for value in values])
    return [dict(combination) for combination in itertools.product(*choices)]


def _server_name(node: Node, values: dict[str, str], servers: dict[str, Server]) -> str:
    """Returns the name of an environment: a short description of the server, or its number."""
    description = (node.text("description") or "").strip().rstrip(".")
    numbered = f"server {len(servers) + 1}" if servers else "default"
    base = description if 0 < len(description) <= _NAME_MAX else numbered
    varying = [value for name, value in values.items() if node.get("variables", name, "enum").value]
    return _free_name(" ".join([base, *varying]), servers)


def _free_name(name: str, servers: dict[str, Server]) -> str:
    names = {one.name for one in servers.values()}
    return name if name not in names else f"{name} ({len(names) + 1})"


def read_schemes(root: Node) -> dict[str, Scheme]:
    """Returns the schemes of authentication by name."""
    schemes: dict[str, Scheme] = {}
    for name, element in root.get("components", "securitySchemes").items():
        node = element.followed_or_none()
        if node is not None:
            auth, reason = _auth(node)
            schemes[name] = Scheme(name, node, auth, reason)
    return schemes


def _auth(node: Node) -> tuple[dict[str, Any] | None, str]:
    kind = node.members.get("type")
    if kind == "http":
        scheme = str(node.members.get("scheme", "")).lower()
        if scheme in ("basic", "bearer", "digest"):
            return {"scheme": scheme}, ""
        return None, f"Restway does not have the HTTP scheme {scheme!r}"
    if kind == "apiKey":
        name, where = node.text("name"), node.members.get("in")
        if name and where in ("header", "query"):
            return {"scheme": "apiKey", where: name}, ""
        return None, f"an API key in {where!r}"
    if kind == "oauth2":
        return _oauth(node)
    if kind == "openIdConnect":
        return {"scheme": "bearer"}, "OpenID Connect: the program gets the tokens"
    return None, f"an unknown scheme {kind!r}"


def _oauth(node: Node) -> tuple[dict[str, Any] | None, str]:
    flows = node.get("flows")
    flow = flows.get("clientCredentials")
    if flow.text("tokenUrl"):
        scopes = " ".join(flow.get("scopes").members)
        auth = {
            "scheme": "oauth2",
            "grant": "clientCredentials",
            "tokenURL": flow.text("tokenUrl"),
        }
        return {**auth, "scope": scopes} if scopes else auth, ""
    for name in ("authorizationCode", "password"):
        flow = flows.get(name)
        url = flow.text("refreshUrl") or flow.text("tokenUrl")
        if url:
            auth = {"scheme": "oauth2", "grant": "refreshToken", "tokenURL": url}
            return auth, f"the program gets the first tokens of the flow {name}"
    return {"scheme": "bearer"}, "the program gets the tokens, for which no address is known"


def chosen_scheme(
    schemes: dict[str, Scheme], security: list[list[str]], uses: list[list[list[str]]]
) -> str | None:
    """Returns the scheme that most operations accept; the first one that the API lists wins a tie.

    `uses` has the alternatives of each operation.
    """
    counts: dict[str, int] = {}
    for alternatives in uses:
        for alternative in alternatives:
            if len(alternative) == 1:
                counts[alternative[0]] = counts.get(alternative[0], 0) + 1
    order = [alternative[0] for alternative in security if len(alternative) == 1]
    order += [name for name in schemes if name not in order]
    known = [name for name in order if name in schemes and schemes[name].auth and name in counts]
    return max(known, key=lambda name: counts[name]) if known else None
