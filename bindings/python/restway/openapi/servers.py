"""Reads the servers of a description and its schemes of authentication."""

from __future__ import annotations

import itertools
import re
from typing import Any
from urllib.parse import SplitResult, urlsplit

from .model import Scheme, Server
from .reading import Node

_SERVERS_MAX = 50
"""How many environments the values of a server's variables may make."""

_NAME_MAX = 40
"""How long the description of a server may be to become the name of an environment."""


def read_servers(root: Node) -> list[Server]:
    """Returns the servers, one for each combination of the values that its variables list."""
    servers: list[Server] = []
    names: set[str] = set()
    for node in root.get("servers").elements():
        url = node.text("url")
        if url is None:
            node.note("left out", "a server without a URL")
            continue
        for values in _combinations(node, url):
            full = _filled(url, values)
            name = _server_name(node, values, names)
            names.add(name)
            servers.append(Server(name, _absolute(full, node), values))
    if not servers:
        root.note("bent", "it names no server: the environment is http://localhost")
        servers.append(Server("default", "http://localhost"))
    return servers


def server_url(node: Node) -> str:
    """Returns the URL of a server with the defaults of its variables."""
    url = node.text("url") or ""
    return _filled(url, _combinations(node, url)[0])


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


def _server_name(node: Node, values: dict[str, str], names: set[str]) -> str:
    """Returns the name of an environment: a short description of the server, or its number."""
    description = (node.text("description") or "").strip().rstrip(".")
    numbered = f"server {len(names) + 1}" if names else "default"
    base = description if 0 < len(description) <= _NAME_MAX else numbered
    varying = [value for name, value in values.items() if node.get("variables", name, "enum").value]
    name = " ".join([base, *varying])
    return name if name not in names else f"{name} ({len(names) + 1})"


def _absolute(url: str, node: Node) -> str:
    parts = split_url(url)
    if parts.scheme in ("http", "https") and parts.hostname:
        return url.split("?")[0].split("#")[0].rstrip("/")
    node.note("bent", f"the URL {url!r} is not absolute: the server is http://localhost")
    return ("http://localhost/" + parts.path.strip("/")).rstrip("/")


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
