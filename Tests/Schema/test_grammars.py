"""Schema and loader agree about the texts that have a grammar of their own.

Each grammar is tested with texts that a person wrote and with random texts of its characters; the
seed is fixed, so that a failure can be repeated.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import pytest
from documents import JSON, loader_problems, schema_accepts

RANDOM_TEXTS = 4_000
RANDOM_PIECES_MAX = 9


@dataclass(frozen=True)
class Grammar:
    """A kind of text, and its place in a document."""

    name: str
    document: Callable[[str], JSON]
    good: tuple[str, ...]
    bad: tuple[str, ...]
    #: The characters of random texts.
    pieces: tuple[str, ...]

    def texts(self) -> Iterable[str]:
        chance = random.Random(self.name)
        for _ in range(RANDOM_TEXTS):
            count = chance.randrange(RANDOM_PIECES_MAX + 1)
            yield "".join(chance.choice(self.pieces) for _ in range(count))


def environment(**members: JSON) -> JSON:
    return {"restway": 1, "environments": {"e": members}}


def attribute(definition: JSON) -> JSON:
    return {"restway": 1, "entities": {"E": {"attributes": {"a": definition}}}}


GRAMMARS = [
    Grammar(
        "header that follows redirects",
        lambda text: {"restway": 1, "redirectHeaders": [text]},
        good=("X-Request-ID", "a", "!#$%&'*+-.^_`|~0", "Authorization-X", "Cookies", "Set-Cookie"),
        bad=(
            "", " ", "a b", "a\n", "a:", "\u00e4", "Authorization", "COOKIE", "proxy-authorization",
            "aUTHORIZATION",
        ),
        pieces=(
            "a", "-", " ", "\n", ":", "Cookie", "cookie", "Proxy-", "Authorization", "~", "\x7f",
        ),
    ),
    Grammar(
        "path template",
        # Without catchAll, the loader also refuses a path that would match every path.
        lambda text: {"restway": 1, "routes": {"r": {"path": text, "catchAll": True}}},
        good=(
            "", "/", "a/b", ":a", ":a.b/c", "a/:b_1/", ":a\\.json", "a:b", ":a:b", "a?x=:1",
            "{a}", "a{?b,c*}", "a{?b}/:1", "a{&b}/:1", "{/a}:1", "{+a:9999}", "\\:a", "\\{&/:a",
            "https://h/:a", "ä/:a ä", "{a}{b}", "a\\\\/:b", "a#/:", "{;a.b.c}",
            ":a\\@b",
        ),
        bad=(
            ":", "a/:", ":1", ":a.", ":a.1", "a/:-", "{", "}", "{}", "{a", "{a,}", "{,a}", "{=a}",
            "{a:0}", "{a:10000}", "{a:01}", "{a**}", "{a.}", "{ a}", "\\a", "\\", "a\n", "\x7f",
            "{/a}/:", "\\{&/:", "a{;b}/:1", "a/:ä", "{a}\\",
        ),
        pieces=(
            "a", "B", "_", "1", ".", ":", "/", "/:", "{", "}", "{a", "a}", "?", "#", "&", "+", ";",
            "*", ",", ":3", "\\", "\\.", "\\:", "\\@", "\n", "-", "ä", "=", "{?", "{&", "{#",
        ),
    ),
    Grammar(
        "date format",
        lambda text: attribute({"type": "date", "format": text}),
        good=(
            "iso8601", "epoch", "epochMilliseconds", "y", "yyyy-MM-dd", "dd.MM.yy HH:mm:ss",
            "''y", "y''", "'''a'y", "y'Q''Q'", "LLLL", "SSSSSSSSS", "ZZZZZ", "XXXXX", "xxxxx",
            "zzzz", "aaa", "EEEE", "yMd", "y\n", "yä",
        ),
        bad=(
            "", " ", "'y'", "''", "epochSeconds", "iso", "yyyyy", "MMMMM", "ddd", "SSSSSSSSSS",
            "EEEEE", "aaaa", "zzzzz", "ZZZZZZ", "XXXXXX", "y'", "y'''", "''a'", "yT", "Yy", "é",
        ),
        pieces=(
            "y", "yy", "yyyy", "M", "MMM", "L", "d", "H", "k", "K", "h", "m", "s", "S", "SSSS",
            "E", "a", "z", "Z", "ZZZ", "X", "x", "xxx", "'", "''", "'T'", "-", ":", " ", "Q", "\n",
        ),
    ),
    Grammar(
        "key path",
        attribute,
        good=("a", "a.b", " ", "a b.c", "ä", "\n", "a.\n", "a/b", "0"),
        bad=("", ".", "a.", ".a", "a..b", "..", "a.b."),
        pieces=("a", ".", "b", " ", "\n", "ä", "0"),
    ),
    Grammar(
        "method",
        lambda text: {"restway": 1, "routes": {"r": {"path": "a", "method": text}}},
        good=("GET", "TRACE", "REPORT", "M-SEARCH", "purge", "GETS", "!#$%&'*+-.^_`|~", "0"),
        bad=(
            "", " ", "a b", "GET\n", "get", "Report", "CONNECT", "connect", "a/b", "ä", "(",
            "\x7f",
        ),
        pieces=(
            "GET", "get", "Search", "CONNECT", "a", "Z", "0", "\n", "\x7f",
            *"!#$%&'*+-.^_`|~\"(),/:;<=>?@[]{} ä",
        ),
    ),
    Grammar(
        "method of a stored request",
        lambda text: {
            "restway": 1,
            "outbox": {"path": "o", "offline": [{"path": "a", "method": text}]},
        },
        good=("POST", "PATCH", "M-SEARCH", "purge"),
        bad=("GET", "QUERY", "REPORT", "TRACE", "query", "", "a b", "CONNECT"),
        pieces=("GET", "POST", "REPORT", "SEARCH", "PROPFIND", "s", "a", "-", " "),
    ),
    Grammar(
        "header name",
        lambda text: {"restway": 1, "headers": {text: "v"}},
        good=("A", "x-y", "!#$%&'*+-.^_`|~", "0"),
        bad=("", "a b", "a:", "ä", "a\n", "\n", "(a)", "a/b", "[", "\x7f", "a\t", '"', "@", "{}"),
        pieces=("a", "Z", "0", *"!#$%&'*+-.^_`|~\"(),/:;<=>?@[\\]{} ä", "\n", "\x7f"),
    ),
    Grammar(
        "header value",
        lambda text: {"restway": 1, "headers": {"A": text}},
        good=("", "a", "a b", "a\tb", "ä", "\u0080", "a\u00a0", '"a", b'),
        bad=(" ", "a ", " a", "\ta", "a\n", "\n", "a\nb", "\r", "\x7f", "a\x00b", "\x1f"),
        pieces=("a", " ", "\t", "\n", "\r", "\x00", "\x1f", "\x7f", "ä", "\u00a0", "\u2028"),
    ),
    Grammar(
        "text of a credential",
        lambda text: {"restway": 1, "auth": {"scheme": "digest", "user": "u", "password": text}},
        good=("a", " ", "a ", " a:b", "ä", "\u0080", "\u2028"),
        bad=("", "a\n", "\n", "\t", "a\tb", "\r", "\x7f", "a\x00b", "\x1f"),
        pieces=("a", ":", " ", "\t", "\n", "\r", "\x00", "\x1f", "\x7f", "ä", "\u0080"),
    ),
    Grammar(
        "status",
        lambda text: {
            "restway": 1,
            "entities": {"E": {}},
            "responses": [{"entity": "E", "status": text}],
        },
        good=("100", "599", "2xx", "5XX", "2xX", "200-299", "404-404"),
        bad=("", "99", "600", "0xx", "6xx", "2x", "2xx ", "200-", "-200", "200-2xx", "2xx\n",
             "200-299\n", "200 - 299", "200-299-300", "+20", "20x"),
        # Only the loader finds ranges that end before they begin, so the texts have few digits.
        pieces=("1", "5", "99", "100", "500", "2xx", "x", "X", "-599", "-5xx", "6", " ", "\n"),
    ),
    Grammar(
        "base URL",
        lambda text: environment(baseURL=text),
        good=(
            "http://h", "HTTPS://h/", "http://h:", "http://h:080/a", "http://[::1]:80",
            "http://[fe80::1%25eth0]/", "http://h//a", "http://h/...", "http://h/a@b",
            "http://ä.de", "http://h/a b", "http://h/a\n", "http://h:65535", "http://h/.a",
            "http://h/..\n",
        ),
        bad=(
            "", "h", "//h", "http:/h", "http://", "http:///a", "ftp://h", "http://u@h",
            "http://u:p@h", "http://h?", "http://h/#", "http://h/.", "http://h/%2E/a",
            "http://h/..", "http://h/a/.%2e", "http://h:0", "http://h:65536", "http://h:a",
            "http://h:1:2", "http://h h", "http://h\n", "http://h\\a", "http://a,b", "http://[::1",
            "http://a]", " http://h", "http://h\t", "http://h:80\n",
        ),
        pieces=(
            "http://", "https://", "http://h", "http://h/", "h", "/", ":", "80", "65536", "0", ".",
            "..", "%2e", "@", "?", "#", " ", "\n", "a", "-", "_", "~", *"!$&'()*+,;=<>[]{}^`\\|\"",
        ),
    ),
    Grammar(
        "trusted origin",
        lambda text: environment(baseURL="http://h", trustedOrigins=[text]),
        good=("http://h", "https://h:8443/", "http://[::1]:80", "HTTPS://h//"),
        bad=(
            "", "h", "*", "https://*.h", "http://u@h", "http://h:0", "ws://h", "null",
            "http://h/a", "http://h?", "http://h#c", "http://h/../", "http://h\n",
        ),
        pieces=("http://", "http://h", "h", "/", ":", "80", "0", ".", "@", "?", "#", " ", "*"),
    ),
    Grammar(
        "part of a base URL",
        lambda text: environment(server="http://h/", path=text, version=text),
        good=("", "/", "v1", "/a/b/", "...", "a:b", "..\n", " ", "a@b", "%2", "%2f"),
        bad=(".", "..", "/./", "a/..", "a?b", "#", "%2e", "%2E.", "..%2e/..", "a/%2e%2E/"),
        pieces=("a", "/", ".", "..", "%2e", "%2E", "%", "2", "?", "#", "@", ":", "\n", " ", "\\"),
    ),
]


def name_of(grammar: Grammar) -> str:
    return grammar.name


@pytest.mark.parametrize("grammar", GRAMMARS, ids=name_of)
def test_both_know_the_good_from_the_bad(grammar: Grammar) -> None:
    for verdict, texts in ((True, grammar.good), (False, grammar.bad)):
        for text in texts:
            document = grammar.document(text)
            assert schema_accepts(document) == verdict, f"the schema about {text!r}"
            assert (loader_problems(document) == []) == verdict, f"the loader about {text!r}"


@pytest.mark.parametrize("grammar", GRAMMARS, ids=name_of)
def test_both_agree_about_random_texts(grammar: Grammar) -> None:
    verdicts: set[bool] = set()
    findings = []
    for text in grammar.texts():
        if "${" in text:
            # The name of a variable, whose value only the loader knows.
            continue
        document = grammar.document(text)
        verdict = schema_accepts(document)
        verdicts.add(verdict)
        if (problems := loader_problems(document)) and verdict:
            findings.append(f"{text!r}: only the loader refuses it: {problems[0].message}")
        elif not verdict and not problems:
            findings.append(f"{text!r}: only the schema refuses it")
    assert not findings, "\n" + "\n".join(findings[:20])
    assert verdicts == {True, False}, "the pieces make only one kind of text"
