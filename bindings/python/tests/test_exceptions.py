"""The exception tree."""

from __future__ import annotations

import inspect
import pickle

import pytest

import restway
from restway import _exceptions
from restway import _ffi as native
from restway import _handles as _boundary

pytestmark = pytest.mark.no_library


def classes() -> dict[str, type[restway.RestwayError]]:
    return {
        name: kind
        for name, kind in inspect.getmembers(_exceptions, inspect.isclass)
        if issubclass(kind, restway.RestwayError)
    }


def test_every_failing_status_has_a_class_of_its_own() -> None:
    failing = [status for status in restway.Status if status != restway.Status.OK]
    assert set(_exceptions.BY_STATUS) == set(failing)
    assert len(set(_exceptions.BY_STATUS.values())) == len(failing)


def test_the_docstring_draws_the_tree_as_it_is() -> None:
    drawn: dict[str, str] = {}
    path: list[str] = []
    for line in (_exceptions.__doc__ or "").splitlines():
        bare = line.lstrip(" │├└─")
        depth = (len(line) - len(bare)) // 4
        name = bare.split(" ")[0]
        if name in classes():
            del path[depth - 1 :]
            drawn[name] = path[-1] if path else "Exception"
            path.append(name)
    assert drawn == {name: kind.__bases__[0].__name__ for name, kind in classes().items()}


def test_every_exception_is_exported() -> None:
    assert set(classes()) <= set(restway.__all__)


def test_standard_exceptions_catch_their_kin() -> None:
    assert issubclass(restway.TimedOutError, TimeoutError)
    assert issubclass(restway.LibraryError, ImportError)


def test_statuses_and_domains_that_are_not_known_stay_integers() -> None:
    assert _boundary.known_status(4711) == 4711
    assert not isinstance(_boundary.known_status(4711), restway.Status)
    assert _boundary.known_domain(restway.Domain.STORE.value) is restway.Domain.STORE
    error = _boundary.failure(4711, native.ErrorHandle(), None)
    assert type(error) is restway.RestwayError and error.status == 4711


@pytest.mark.parametrize("name", sorted(classes()))
def test_every_exception_survives_pickling(name: str) -> None:
    error = classes()[name](
        "it failed", status=7, retryable=True, field="x", details=[restway.Problem("$.a", "bad")]
    )
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert (copy.message, copy.status, copy.retryable, copy.field) == ("it failed", 7, True, "x")
    assert str(copy) == "it failed\n  $.a: bad"


def test_a_message_that_says_its_only_detail_says_it_once() -> None:
    error = restway.ConfigError("$.a: bad", details=[restway.Problem("$.a", "bad")])
    assert str(error) == "$.a: bad"
