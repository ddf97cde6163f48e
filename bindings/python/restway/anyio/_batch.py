"""Batch sessions of an AnyioClient."""

from __future__ import annotations

from types import TracebackType

from .._batch import Batch, BatchMethods
from .._call import Call
from .._request import Request
from .._verbs import Verbs
from ._waiting import Told, until_told


class AnyioBatch(BatchMethods, Verbs[Call]):
    """Requests of an AnyioClient that are sent together.

        async with client.batch() as batch:
            one, two = batch.get("issues/1"), batch.get("issues/2")
        print(one.wait().object.title, two.wait().object.title)

    Leaving the context sends the requests and waits until all are answered, so that `wait` of their
    calls returns at once. An exception inside the context cancels them.
    """

    def __init__(self, batch: Batch) -> None:
        """For this package: `AnyioClient.batch` makes batches."""
        self._batch = batch

    @property
    def calls(self) -> list[Call]:
        """The calls of the requests, in the order in which the requests were added."""
        return self._batch.calls

    def add(self, request: Request) -> Call:
        return self._batch.add(request)

    def _carry_out(self, request: Request) -> Call:
        return self.add(request)

    async def send(self) -> None:
        def begin(told: Told) -> Told:
            self._batch.send(lambda _: told())
            return self._batch.cancel

        await until_told(begin)
        self._batch.wait()

    def cancel(self) -> None:
        self._batch.cancel()

    @property
    def done(self) -> bool:
        return self._batch.done

    def __len__(self) -> int:
        return len(self._batch)

    def __repr__(self) -> str:
        return f"<AnyioBatch of {self._batch!r}>"

    async def __aenter__(self) -> AnyioBatch:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None:
            self._batch.cancel()
        elif not self._batch._sent:
            await self.send()
