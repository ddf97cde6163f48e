"""A shop on Django REST framework, whose API document is made of its own description."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import jwt
import pytest
import restway
from conftest import LIMIT_SECONDS, RunProgram, present
from restway import Client, Credential
from restway_tools.openapi.__main__ import main as restway_openapi
from server import Server
from shop.settings import SECRET_KEY

SignIn = Callable[[str], Client]
#: A small picture.
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b55"
    "0000000a49444154789c6360000000020001e221bc330000000049454e44ae426082"
)


def tokens(client: Client, name: str) -> Credential:
    """The access token and the refresh token of a user, whose name is the password."""
    body = {"username": name, "password": name}
    signed_in = present(client.route("api_token_create", json=body).object)
    return Credential(token=signed_in.access, refresh_token=signed_in.refresh)


def expired(credential: Credential) -> Credential:
    """The same credential with a token that was valid long ago."""
    assert credential.token is not None
    claims = jwt.decode(credential.token, SECRET_KEY, ["HS256"])
    token = jwt.encode({**claims, "exp": claims["iat"] - 1}, SECRET_KEY, "HS256")
    return Credential(token=token, refresh_token=credential.refresh_token)


@pytest.fixture
def sign_in(shop: Server, document: Path) -> Iterator[SignIn]:
    """Makes clients of users; they are closed at the end."""
    clients: list[Client] = []

    def make(name: str) -> Client:
        api = restway.API.load(document)
        client = Client(api, base_url=shop.url, timeout=LIMIT_SECONDS)
        clients.append(client)
        client.set_credential(tokens(client, name))
        return client

    yield make
    for client in clients:
        client.close()


def new_product(client: Client, name: str, price: str = "1.00") -> restway.Object:
    return present(client.post(client.draft("Product", name=name, price=price)).object)


def test_the_check_of_the_importer_finds_every_value_of_the_description(
    description: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert restway_openapi([str(description), "--check"]) == 0
    checked = capsys.readouterr().out
    assert "called: 19 operations, 0 failures" in checked
    assert checked.count("(100.00% of") == 3  # in memory, through drafts, in a file


def test_an_order_is_written_read_changed_and_deleted_together_with_its_lines(
    sign_in: SignIn,
) -> None:
    client, other = sign_in("ada"), sign_in("ada")
    lamp, table = new_product(client, "Lamp", "19.90"), new_product(client, "Table")
    draft = client.draft("Order", note="by bicycle")
    for product, quantity in ((lamp, 2), (table, 1)):
        draft.add("lines", client.draft("Line", product=product.id, quantity=quantity))
    order = present(client.post(draft).object)
    assert (order.customer, order.note) == ("ada", "by bicycle")
    assert [(line.product, line.quantity) for line in order.lines] == [(lamp.id, 2), (table.id, 1)]
    assert not draft.changed

    draft.note = "by train"
    assert client.inspect(restway.Request.draft("PATCH", draft)).body == b'{"note":"by train"}'
    client.patch(draft)
    draft.lines = [client.draft("Line", product=table.id, quantity=3)]
    client.patch(draft)
    seen = present(other.route("api_orders_retrieve", variables={"id": order.id}).object)
    assert (seen.note, [(line.product, line.quantity) for line in seen.lines]) == (
        "by train", [(table.id, 3)],
    )  # fmt: skip
    assert seen.placed == order.placed

    client.delete(order)
    with pytest.raises(restway.NotFoundError) as raised:
        other.get(seen)
    assert raised.value.api_message == "No Order matches the given query."
    assert client.store.count("Order") == 0


def test_the_fields_that_the_server_refuses_are_named(sign_in: SignIn) -> None:
    client = sign_in("ada")
    chair = new_product(client, "Chair")
    draft = client.draft("Order", note="x" * 61)
    for quantity in (1, 0):
        draft.add("lines", client.draft("Line", product=chair.id, quantity=quantity))
    with pytest.raises(restway.BadRequestError) as raised:
        client.post(draft)
    assert {problem.path: problem.message for problem in raised.value.details} == {
        "note": "Ensure this field has no more than 60 characters.",
        "lines[1].quantity": "Ensure this value is greater than or equal to 1.",
    }
    assert set(draft.changed) == {"note", "lines"}


def test_pages_by_number_by_offset_and_by_cursor(sign_in: SignIn) -> None:
    client = sign_in("bob")
    for number in range(7):
        product = new_product(client, f"Book {number}")
        draft = client.draft("Order", note=f"order {number}")
        draft.add("lines", client.draft("Line", product=product.id, quantity=1))
        client.post(draft)

    pages = list(client.pages("api_products_list", params={"page_size": 4}).pages)
    products = [product.id for page in pages for product in page.objects]
    assert products == sorted(set(products))
    assert {len(page.objects) for page in pages[:-1]} == {4}
    assert {page.total for page in pages} == {len(products)}
    assert pages[1].offset == 4

    pages = list(client.pages("api_orders_list").pages)
    assert [[order.note for order in page.objects] for page in pages] == [
        ["order 0", "order 1"], ["order 2", "order 3"], ["order 4", "order 5"], ["order 6"],
    ]  # fmt: skip
    assert [(page.offset, page.total, page.is_last) for page in pages] == [
        (0, 7, False), (2, 7, False), (4, 7, False), (6, 7, True),
    ]  # fmt: skip

    events = client.list("api_events_list")
    events.load_more()
    assert (len(events.objects), events.is_complete) == (4, False)
    events.load_more()
    assert [event.text for event in events.objects] == ["placed"] * 7
    assert events.is_complete


def test_a_photo_is_uploaded_and_comes_back(sign_in: SignIn, shop: Server, tmp_path: Path) -> None:
    client = sign_in("ada")
    product = new_product(client, "Camera")
    photo = tmp_path / "camera.png"
    photo.write_bytes(PNG)
    answer = client.route(
        "api_products_photo_create", variables={"id": product.id}, files={"photo": photo}
    )
    changed = present(answer.object)
    assert (changed.id, changed.name) == (product.id, "Camera")
    assert changed.photo.startswith(f"{shop.url}/media/photos/")
    saved = client.get(changed.photo.removeprefix(f"{shop.url}/"), save_to=tmp_path / "back.png")
    assert saved.headers["Content-Type"] == "image/png"
    assert (tmp_path / "back.png").read_bytes() == PNG


def test_a_product_is_validated_and_changed_by_its_etag(sign_in: SignIn) -> None:
    client, other = sign_in("ada"), sign_in("bob")
    product = new_product(client, "Radio", "30.00")
    first = client.get(product)
    again = client.get(product)
    assert again.cache is not None
    assert again.cache.state is restway.CacheState.VALIDATED
    assert again.headers["ETag"] == first.headers["ETag"] == '"1"'

    read = present(other.route("api_products_retrieve", variables={"id": product.id}).object)
    theirs = other.draft(read, price="25.00")
    assert other.patch(theirs, headers={"If-Match": '"1"'}).headers["ETag"] == '"2"'
    mine = client.draft(product, price="20.00")
    with pytest.raises(restway.HTTPStatusError) as raised:
        client.patch(mine, headers={"If-Match": first.headers["ETag"]})
    assert (raised.value.http_status, raised.value.api_message) == (412, "The product has changed.")

    newest = client.get(product)
    assert present(newest.object).price == "25.00"
    assert mine.price == "20.00"
    client.patch(mine, headers={"If-Match": newest.headers["ETag"]})
    seen = present(other.get(theirs).object)
    assert (seen.price, seen.revision) == ("20.00", 3)


def test_calls_with_an_expired_token_share_one_refresh_whose_tokens_rotate(
    sign_in: SignIn, shop: Server, document: Path
) -> None:
    """The server takes each refresh token once."""
    kept = [tokens(sign_in("ada"), "ada")]

    async def run(client: restway.AsyncClient) -> None:
        async def refresh() -> Credential:
            body = {"refresh": kept[-1].refresh_token}
            try:
                answer = await client.route("api_token_refresh_create", json=body)
            except restway.UnauthorizedError as error:
                raise restway.RefreshRefusedError(str(error.api_message)) from error
            fresh = present(answer.object)
            return Credential(token=fresh.access, refresh_token=fresh.refresh)

        client.set_auth(refresh=refresh, persist=kept.append)
        for refreshes in (1, 2):
            client.set_credential(expired(kept[-1]))
            calls = [client.route("api_orders_list", params={"limit": n}) for n in range(1, 7)]
            assert [answer.status for answer in await asyncio.gather(*calls)] == [200] * 6
            assert len(kept) == 1 + refreshes
        kept.append(kept[0])
        client.set_credential(expired(kept[0]))
        with pytest.raises(restway.AuthError, match="Token is blacklisted"):
            await client.route("api_orders_list")

    async def main() -> None:
        api = restway.API.load(document)
        async with restway.AsyncClient(api, base_url=shop.url, timeout=LIMIT_SECONDS) as client:
            await run(client)

    asyncio.run(main())
    assert len({credential.refresh_token for credential in kept}) == 3


def test_an_order_that_waits_goes_with_a_new_token_and_can_be_mended(
    sign_in: SignIn, shop: Server, document: Path, tmp_path: Path
) -> None:
    client = sign_in("dan")
    product, credential = new_product(client, "Pen"), tokens(client, "dan")
    stored = json.loads(document.read_text())
    stored["routes"]["api_orders_create"]["offline"] = True
    refreshes: list[Credential] = []

    def refresh() -> Credential:
        body = {"refresh": credential.refresh_token}
        fresh = present(phone.route("api_token_refresh_create", json=body).object)
        return Credential(token=fresh.access, refresh_token=fresh.refresh)

    with Client(stored, base_url=shop.url, outbox_path=tmp_path / "outbox.db") as phone:
        phone.set_auth(refresh=refresh, persist=refreshes.append)
        phone.set_credential(expired(credential))
        phone.set_reachability(restway.Reachability.UNREACHABLE)
        draft = phone.draft("Order", note="on the train")
        draft.add("lines", phone.draft("Line", product=product.id, quantity=0))
        with pytest.raises(restway.QueuedError) as raised:
            phone.post(draft)
        phone.set_reachability(restway.Reachability.REACHABLE)
        dead = phone.outbox.wait(raised.value, LIMIT_SECONDS)
        assert dead.state is restway.OutboxState.DEAD
        assert "Ensure this value is greater than or equal to 1." in str(dead.last_error)
        assert dead.body is not None
        phone.outbox.edit(dead.id, dead.body.replace(b'"quantity":0', b'"quantity":2'))
        ended = phone.outbox.wait(dead, LIMIT_SECONDS)
        assert ended.state is restway.OutboxState.DELIVERED
        mine = present(phone.store.query("Order").first())
        assert [line.quantity for line in mine.lines] == [2]
    assert len(refreshes) == 1
    orders = list(client.pages("api_orders_list"))
    assert [(order.id, order.note) for order in orders] == [(mine.id, "on the train")]


def test_a_throttled_request_says_when_to_come_back_and_is_retried(sign_in: SignIn) -> None:
    client = sign_in("ada")
    with pytest.raises(restway.TooManyRequestsError) as raised:
        for _ in range(3):
            client.route("api_report_retrieve")
    error = raised.value
    assert error.retryable
    assert error.response is not None
    assert 80_000 < int(error.response.headers["Retry-After"]) <= 86_400
    assert (error.api_message or "").startswith("Request was throttled.")

    for _ in range(100):  # once in a second is allowed, and an idle machine asks more often
        answer = client.route("api_ticker_retrieve", cache="bypass")
        if len(answer.attempts) > 1:
            break
    assert [attempt.http_status for attempt in answer.attempts][-2:] == [429, 200]


def test_the_same_in_c(
    sign_in: SignIn, shop: Server, document: Path, tmp_path: Path, run_program: RunProgram
) -> None:
    client = sign_in("cyd")
    credential = expired(tokens(client, "cyd"))
    photo = tmp_path / "kettle.png"
    photo.write_bytes(PNG)
    assert credential.token is not None
    assert credential.refresh_token is not None
    lines = run_program(
        "shop", shop.url, str(document), credential.token, credential.refresh_token, str(photo)
    )
    order = next(iter(client.pages("api_orders_list")))
    assert (order.note, [line.quantity for line in order.lines]) == ("second", [1, 2])
    variables = {"id": order.lines[0].product}
    product = present(client.route("api_products_retrieve", variables=variables).object)
    assert (product.name, product.price, product.revision) == ("Kettle", "11.00", 3)
    assert lines == [
        "api_orders_list: 1 objects on 1 pages",
        "api_events_list: 2 objects on 1 pages",
        "lines[0].quantity: Ensure this value is greater than or equal to 1.",
        f"photo: {product.photo}",
        "412 The product has changed.",
    ]
    with client.get(product.photo.removeprefix(f"{shop.url}/")) as answer:
        assert answer.body == PNG
