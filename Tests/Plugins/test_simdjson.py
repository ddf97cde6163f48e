"""The mapper of simdjson gives the same results as the built-in mapper: for the mapping cases, and
for extreme or broken bodies.
"""

from __future__ import annotations

import json
import re
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings" / "python"))

import restway  # noqa: E402
from tests import mapping_cases  # noqa: E402

JSON = Any


class _Server(ThreadingHTTPServer):
    body = b""
    status = 200


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(self.server.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(self.server.body)))
        self.end_headers()
        self.wfile.write(self.server.body)

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(name="server", scope="module")
def _server() -> Iterator[_Server]:
    with _Server(("127.0.0.1", 0), _Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server
        server.shutdown()


def _client(document: dict[str, JSON], server: _Server, mapper: str, **more: Any) -> restway.Client:
    plugins = [{"name": "simdjson"}] if mapper == "simdjson" else []
    api = restway.API.from_json({**document, "plugins": plugins, "dataMapper": mapper})
    url = f"http://127.0.0.1:{server.server_port}"
    return restway.Client(api, base_url=url, load_plugins=True, timeout=30, **more)


#: Bodies of at least this length are read by one thread and mapped by another.
_LONG = 1 << 20
_PADDINGS = pytest.mark.parametrize("padding", [b"", b" " * _LONG], ids=["short", "long"])


@_PADDINGS
@pytest.mark.parametrize("case", mapping_cases.CASES, ids=lambda case: case.name)
def test_every_case_maps_to_the_same(
    case: Path, padding: bytes, server: _Server, tmp_path: Path
) -> None:
    document = mapping_cases.document_of(case, "memory", tmp_path)
    exchanges = mapping_cases.exchanges_of(case)
    assert exchanges
    with _client(document, server, "jansson") as one, _client(document, server, "simdjson") as two:
        for exchange in exchanges:
            body = (exchange.text or "").encode()
            server.body, server.status = body and body + padding, exchange.status
            method, path = exchange.request.split(" ", 1)
            assert _told(one, method, path) == _told(two, method, path), exchange.about
            stores = [mapping_cases.contents(client.store, document) for client in (one, two)]
            assert mapping_cases.exact(stores[0]) == mapping_cases.exact(stores[1]), exchange.about


def _told(client: restway.Client, method: str, path: str) -> JSON:
    try:
        response = client.perform(restway.Request.path(method, path))
    except restway.RestwayError as error:
        return type(error).__name__
    return [
        [issue.key_path for issue in response.issues],
        [issue.reason for issue in response.issues],
        [item.attributes() for item in response.objects],
    ]


_ANY = {
    "restway": 1,
    "environments": {"here": {"baseURL": "http://127.0.0.1"}},
    "environment": "here",
    "entities": {
        "Thing": {
            "attributes": {
                "any": "a", "int": {"source": "a", "type": "int"},
                "real": {"source": "a", "type": "double"},
                "text": {"source": "a", "type": "string"},
                "json": {"source": "a", "type": "json"},
            }
        }
    },
    "responses": [{"entity": "Thing"}],
}


def _nested(depth: int) -> str:
    return '{"a":' + "[" * (depth - 1) + "]" * (depth - 1) + "}"


#: Bodies with any content, and the nesting limit.
_TEXTS: dict[str, str | bytes] = {
    "int64 max": '{"a":9223372036854775807}',
    "int64 min": '{"a":-9223372036854775808}',
    "beyond int64": '{"a":9223372036854775808}',
    "beyond int64 below": '{"a":-9223372036854775809}',
    "uint64 max": '{"a":18446744073709551615}',
    "beyond uint64": '{"a":18446744073709551616}',
    "a hundred digits": '{"a":' + "9" * 100 + "}",
    "double max": '{"a":1.7976931348623157e308}',
    "beyond double": '{"a":1e400}',
    "beyond double below": '{"a":-1e400}',
    "below double": '{"a":1e-400}',
    "negative zero": '{"a":-0}',
    "negative zero real": '{"a":-0.0}',
    "many digits": '{"a":0.1000000000000000055511151231257827021181583404541015625}',
    "exponent": '{"a":1E+2}',
    "leading zero": '{"a":01}',
    "plus": '{"a":+1}',
    "dot alone": '{"a":.5}',
    "dot at the end": '{"a":1.}',
    "minus alone": '{"a":-}',
    "big number, then broken": '{"a":99999999999999999999,}',
    "NaN": '{"a":NaN}',
    "Infinity": '{"a":Infinity}',
    "NUL escaped": '{"a":"x\\u0000y"}',
    "NUL raw": '{"a":"x\x00y"}',
    "tab raw": '{"a":"x\ty"}',
    "surrogates": '{"a":"\\ud83d\\ude00"}',
    "lone high surrogate": '{"a":"\\ud83d"}',
    "lone low surrogate": '{"a":"\\ude00"}',
    "reversed surrogates": '{"a":"\\ude00\\ud83d"}',
    "bad escape": '{"a":"\\x"}',
    "short escape": '{"a":"\\u12"}',
    "invalid UTF-8": b'{"a":"\xff"}',
    "overlong UTF-8": b'{"a":"\xc0\x80"}',
    "encoded surrogate": b'{"a":"\xed\xa0\x80"}',
    "beyond Unicode": b'{"a":"\xf4\x90\x80\x80"}',
    "not a character": b'{"a":"\xef\xbf\xbf"}',
    "byte order mark": b'\xef\xbb\xbf{"a":1}',
    "byte order mark alone": b"\xef\xbb\xbf",
    "two values": '{"a":1}{"a":2}',
    "trailing comma": '{"a":1,}',
    "trailing comma in a list": '{"a":[1,]}',
    "comment": '{"a":1}//',
    "single quotes": "{'a':1}",
    "key without quotes": "{a:1}",
    "truncated": '{"a":"b',
    "closed twice": '{"a":1}}',
    "wrong end": '{"a":[1}',
    "white space": " \t\r\n ",
    "form feed": '\f{"a":1}',
    "scalar": "5",
    "string": '"x"',
    "null": "null",
    "empty key": '{"":1,"a":2}',
    "deep": _nested(512),
    "too deep": _nested(513),
    "too deep where nobody looks": '{"a":1,"b":' + "[" * 512 + "]" * 512 + "}",
    "NUL escaped in a key": '{"a\\u0000":1,"a":2}',
    "quote escaped in a key": '{"\\"":1,"\\u0061":2}',
    "list of many": "[" + ",".join(f'{{"a":{n}}}' for n in range(3_000)) + "]",
}
#: It is read in windows of 64 KiB: texts that would end a window in a bad place, and errors after
#: the first window.
_LONG_LIST = ",".join(
    json.dumps({"a": ("}," * (n % 9) + '"\\\n\u00e9') * (n % 13), "b": [n, {"c": []}]})
    for n in range(4_000)
)
_TEXTS |= {
    "list of windows": f"[{_LONG_LIST}]",
    "list of windows, truncated": f"[{_LONG_LIST}",
    "list of windows, trailing comma": f"[{_LONG_LIST},]",
    "list of windows, two values": f"[{_LONG_LIST}]{{}}",
    "list of windows, tab raw": f'[{_LONG_LIST},{{"a":"\t"}}]',
    "list of windows, invalid UTF-8": f'[{_LONG_LIST},{{"a":"'.encode() + b'\xff"}]',
    "list of windows, unclosed string": f'[{_LONG_LIST},{{"a":"}}]',
    "string longer than windows": '{"a":"' + "x},{" * 60_000 + '"}',
    "string longer than windows, unclosed": '{"a":"' + "x},{" * 60_000,
    "string of escapes longer than windows": '{"a":"' + "\\u00e9}" * 30_000 + '"}',
    "white space longer than windows": " " * 150_000 + '{"a":' + "\n" * 150_000 + "1}",
    "number longer than windows": '{"a":0.' + "3" * 150_000 + "e2}",
}
BODIES = {name: (body, 512) for name, body in _TEXTS.items()}
BODIES |= {"as deep as the limit": (_nested(7), 7), "deeper than the limit": (_nested(8), 7)}


@_PADDINGS
@pytest.mark.parametrize("name", BODIES)
def test_extreme_and_broken_bodies_end_the_same(
    name: str, padding: bytes, server: _Server
) -> None:
    body, depth = BODIES[name]
    server.body = (body if isinstance(body, bytes) else body.encode()) + padding
    server.status = 200
    ends = []
    for mapper in ("jansson", "simdjson"):
        with _client(_ANY, server, mapper, nesting_depth_max=depth) as client:
            ends.append(_told(client, "GET", "any"))
    assert json.dumps(ends[0]) == json.dumps(ends[1])


@_PADDINGS
@pytest.mark.parametrize(
    ("body", "why"),
    [
        ('{"a": 1,\n "é": x}', "something else is expected at line 2, column 7 (byte 16)"),
        ('{"a": 1}\n\n{}', "something else is expected at line 3, column 1 (byte 10)"),
        ('\ufeff{"a" 1}', "something else is expected at line 1, column 7 (byte 8)"),
        ("[" + '{"a":1},\n' * 50_000 + "]", "is expected at line 50001, column 1 (byte 450001)"),
        ('{"a":1', "the text ends too soon at line 1, column 7 (byte 6)"),
    ],
)
def test_an_error_says_where_it_is(body: str, why: str, padding: bytes, server: _Server) -> None:
    is_too_short = "ends too soon" in why
    server.body, server.status = body.encode() + (b"" if is_too_short else padding), 200
    with (
        _client(_ANY, server, "simdjson") as client,
        pytest.raises(restway.MappingError, match=re.escape(why)),
    ):
        client.get("any")


def test_a_key_that_stands_twice_is_the_documented_difference(server: _Server) -> None:
    """Jansson keeps only the last value; simdjson gives both, and the first one stays if the last
    does not fit.
    """
    server.body, server.status = b'{"a":1,"a":"x"}', 200
    ends = []
    for mapper in ("jansson", "simdjson"):
        with _client(_ANY, server, mapper) as client:
            ends.append(client.get("any").objects[0].attributes().get("int"))
    assert ends == [None, 1]


def test_both_mappers_keep_the_digits_of_numbers(server: _Server) -> None:
    document = {
        "restway": 1,
        "environments": {"local": {"baseURL": "http://127.0.0.1:1"}},
        "entities": {
            "Price": {
                "identity": "id",
                "attributes": {
                    "id": {"type": "int"},
                    "text": {"type": "string", "transform": "numberText"},
                    "double": {"type": "double"},
                    "whole": {"type": "int"},
                },
            }
        },
        "responses": [{"entity": "Price"}],
    }
    digits = [
        "12345678901234567.89", "1.10", "1E5", "0.123456789012345678", "1e400",
        "18446744073709551616",
    ]
    rows = ",".join(
        f'{{"id":{n},"text":{text},"double":0.10,"whole":1e3}}' for n, text in enumerate(digits)
    )
    server.body, server.status = f"[{rows}]".encode(), 200
    for mapper in ("jansson", "simdjson"):
        with _client(document, server, mapper) as client:
            found = client.get("any")
            assert [price.text for price in found.objects] == digits, mapper
            assert {(price.double, price.whole) for price in found.objects} == {(0.1, 1000)}
            assert not found.issues


def test_text_that_is_not_unicode_is_an_issue_with_both_mappers(server: _Server) -> None:
    server.body, server.status = b'{"a":"x\\ud83d","b":{"c":["\xe9"]}}', 200
    for mapper in ("jansson", "simdjson"):
        with _client(_ANY, server, mapper) as client:
            found = client.get("any")
            assert len(found.objects) == 1, mapper
            places = [issue.key_path for issue in found.issues if "Unicode" in issue.reason]
            assert places == ["a"], mapper
