"""The exceptions of the usual HTTP statuses."""

from __future__ import annotations

import asyncio
import pickle

import pytest

import restway

from .peer import Peer

KINDS = {
    400: restway.BadRequestError,
    401: restway.UnauthorizedError,
    402: restway.PaymentRequiredError,
    403: restway.ForbiddenError,
    404: restway.NotFoundError,
    405: restway.NotAllowedError,
    409: restway.ConflictError,
    410: restway.GoneError,
    412: restway.PreconditionFailedError,
    413: restway.ContentTooLargeError,
    422: restway.UnprocessableError,
    428: restway.PreconditionRequiredError,
    429: restway.TooManyRequestsError,
    500: restway.ServerError,
    503: restway.ServerError,
    599: restway.ServerError,
}


@pytest.mark.parametrize("status", sorted(KINDS))
def test_a_usual_status_has_an_exception_of_its_own(status: int, peer: Peer) -> None:
    peer.respond(b'{"why": "so"}', status=status)
    with restway.Client({"restway": 1, **here(peer)}) as client:
        with pytest.raises(KINDS[status]) as caught:
            client.get("things")
    assert type(caught.value) is KINDS[status]
    assert isinstance(caught.value, restway.HTTPStatusError)
    assert caught.value.http_status == status
    assert caught.value.response is not None and caught.value.response.json() == {"why": "so"}
    assert type(pickle.loads(pickle.dumps(caught.value))) is KINDS[status]


@pytest.mark.parametrize("status", [300, 304, 406, 414, 418, 451])
def test_any_other_status_raises_the_common_exception(status: int, peer: Peer) -> None:
    peer.respond(b"{}", status=status)
    with restway.Client({"restway": 1, **here(peer)}) as client:
        with pytest.raises(restway.HTTPStatusError) as caught:
            client.get("things")
    assert type(caught.value) is restway.HTTPStatusError


def test_an_async_client_raises_the_same_exceptions(peer: Peer) -> None:
    peer.respond(b"{}", status=409)

    async def main() -> None:
        async with restway.AsyncClient({"restway": 1, **here(peer)}) as client:
            with pytest.raises(restway.ConflictError):
                await client.get("things")

    asyncio.run(main())


def here(peer: Peer) -> dict[str, object]:
    return {"environments": {"here": {"baseURL": peer.url}}}
