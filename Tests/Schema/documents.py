"""The two checkers of API documents, schema and loader, and the documents that they check."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import restway
from jsonschema_rs import Draft202012Validator

JSON = Any
"""A value that `json.loads` returns."""

ROOT = Path(__file__).resolve().parents[2]
SCHEMA_FILE = ROOT / "docs" / "api-document.schema.json"
SCHEMA: dict[str, JSON] = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
DEMO_FILE = ROOT / "examples" / "demo-api" / "demo.restway.json"

_HERE = Path(__file__).resolve().parent
_VALIDATOR = Draft202012Validator(SCHEMA)

#: Problems that only the loader finds, with words of its message. The first problems depend on
#: other parts of a document.
OF_OTHER_PARTS = {
    "a name that nothing has": (
        r"^unknown (environment|entity( of the union)?"
        r"|attribute( or relationship)?|part of the identity of \w+|route|relationship)"
        r' "'
    ),
    "an identity that cannot tell apart": (
        r"^an identity is of type int or string, "
        r"|^a part of an identity has the type int or string, "
    ),
    "a part of an identity of another type": r'^".+" is of type \w+, and ".+" of type ',
    "an identity that does not fit the link": (
        r"^names the whole identity of one object, "
        r'|^a value is one part of the identity of |^"identity" names the whole identity, '
    ),
    "a version of another type": r"^an? (ordered )?version is of type ",
    "a policy for other values": r'^"(add|union)" is for (numbers|lists), ',
    "conflicts without versions": r'^stands without "version"$',
    "a text that is no text": r"^full text is of type string or any, ",
    "parents in a circle": r"^is part of a circle of parents$",
    "a variable in parent and child": r"stands in both the parent and the child$",
    "a parent with a query": r"the parent has a query or a fragment$",
    "too many parents": r"has more than 64 parents, one above the other$",
    "a path that is too long with its parent": r"would have more than 4096 bytes$",
    "paths of which neither is more specific": r"neither path is more specific$",
    "too many paths to compare": r"^too many paths mix text and variables ",
    "a route twice": r"^the same route twice: ",
    "one word for true and false": r'^"true" and "false" are the same word$',
    "a response descriptor twice": r"^applies to the same answers as ",
    "a method that the route does not have": r"^\S+ is no method of the route$",
    "a plugin twice": r"^the plugin stands here twice$",
    "one name for two": r"^an (attribute|entity) has this name$",
    "entities that nothing tells apart": (
        r'^nothing tells ".*" apart; |^no object can be of "|^no value stands for "'
    ),
    "one type for two": r'^has the type ".*", as ',
    "entities in a circle": r"^entities extend each other: ",
    "an entity that too many extend": r" and the entities that extend it are more than 63$",
    "entities that disagree": (
        r"^(is of type .+, and (of type .+|a relationship)"
        r"|is a relationship, and an attribute|differs from the (attribute|relationship)) at \$"
    ),
    "a method that changes no links": r'^\w+ does not go with the relationship "',
    "a path without the object of a relationship": (
        r'^needs the variable ":.+", which says which object of '
    ),
    "no method that sends an object": r"^no method of the route has a body by itself",
    "an object in a HEAD request": r"^a (HEAD|TRACE) request has no body$",
    "no entity in route and request": r'^neither the request nor its route names an "entity"$',
    "a route that is never stored": (
        r"^requests with this route's methods are never stored and never cached$"
    ),
    "a cache that contradicts itself": r"^contradicts ",
    "a key of another scheme": r'^does not belong to scheme "',
    "a file that cannot be read": r'^cannot read "',
    "a variable that is not set": r'^the environment variable "\w+" is not set$',
    "a variable without a name": r'^"\$\{" begins a variable of the environment: ',
    "a value of another type": r"^does not fit the type: ",
    "a listed value twice": r"^stands twice$",
    "a default that is not listed": r'^.+ is not one of "values"$',
    "an identity that is the same everywhere": r"^an identity has no constant and no default, ",
    "a union where one entity is needed": (
        r"^names (an attribute of one entity|the parts of one identity), and this relationship has "
        r"a union$"
        r"|^an object without values does not say of which entity it is$"
    ),
    "an attribute that is no key": r"^a key is of type string, int or any, and has no transform, ",
    "a map without an attribute of its keys": r"^no attribute of .+ comes from the key: ",
    "a parent without the attribute": (
        r'^no entity with a relationship to .+ has an attribute "'
    ),
    "an id of JSON:API from elsewhere": r"^the identity of a resource of JSON:API is its id$",
    "a value that is no whole object": r"^the whole object is ",
    "an object that contains itself": r"^the whole object would contain itself without end$",
    "a type in place of a key path": r'^"\w+" is the name of a type: ',
    "a route for every path": r"^the path would match every path; ",
    "what a scheme needs": r'^"(grant|tokenURL)" is missing$|^an API key goes into one place',
}

#: The other problems depend on the form of a value: a schema has no numbers in strings, no host
#: names, no difference between 1.0 and 1, and does not notice a repeated key.
OF_WRITING = {
    "a range of statuses that ends before it begins": r'^"\d{3}-\d{3}" is no status',
    "an IPv6 address": r": Bad IPv6 address$",
    "a host with percent-encoding": r": Bad hostname$",
    "a host that is no IDN": r": the host's name cannot be used$",
    "1.0 for the version 1": r"^must be 1, the format's version$",
    "1.0 for a whole number": (
        r"must be a whole number between -?\d+ and \d+, is \d+\.0$"
        r"|^must be a string or a whole number, is a number with a fraction$"
    ),
    "a key twice": r"^not valid JSON: duplicate object key",
    "a whole number beyond 64 bits": r"^not valid JSON: too big integer",
    "a number beyond a double": r"^not valid JSON: real number overflow",
    "a key with a NUL": r"^not valid JSON: NUL byte in object key",
}
LOADER_ONLY = OF_OTHER_PARTS | OF_WRITING


def corpus(folder: str) -> list[Path]:
    """Returns the documents of `good`, `bad` or `bad-for-the-loader`."""
    found = sorted((_HERE / folder).glob("*.json"))
    assert found, f"{folder} holds no documents"
    return found


def expected_paths(document: Path) -> list[str]:
    """Returns the places where the loader finds problems: one JSON path on each line of the file
    beside a bad document.
    """
    return document.with_suffix(".problems").read_text(encoding="utf-8").splitlines()


def schema_complaints(document: JSON) -> list[str]:
    """Returns the schema's problems with a document, as text."""
    errors = _VALIDATOR.iter_errors(document)
    return [f"{error.instance_path}: {error.message}" for error in errors]


def schema_accepts(document: JSON) -> bool:
    return _VALIDATOR.is_valid(document)


def loader_problems(document: JSON) -> list[restway.Problem]:
    return restway.API.check(json.dumps(document))


def loader_only_reason(problem: restway.Problem) -> str | None:
    """Returns which entry of `LOADER_ONLY` a problem matches."""
    return _reason(LOADER_ONLY, problem)


def disagreement(document: JSON) -> str | None:
    """Returns how schema and loader disagree about a document; None when they agree, or when the
    loader refuses it only because of parts that the schema cannot compare.
    """
    accepted = schema_accepts(document)
    problems = loader_problems(document)
    if accepted == (not problems):
        return None
    if accepted and all(_reason(OF_OTHER_PARTS, problem) for problem in problems):
        return None
    if accepted:
        return "only the loader refuses it: " + "; ".join(map(": ".join, problems))
    return "only the schema refuses it: " + "; ".join(schema_complaints(document))


def _reason(reasons: dict[str, str], problem: restway.Problem) -> str | None:
    matching = (reason for reason in reasons if re.search(reasons[reason], problem.message))
    return next(matching, None)
