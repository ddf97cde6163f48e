"""An inspector fills in forms where there is no network, and sends them from the office.

    python3 examples/demo-api --port 8080 &
    python3 examples/inspection.py field     # at the site; the requests wait in a file
    python3 examples/inspection.py office    # after a restart; the requests are sent

The files are in the folder INSPECTIONS, or in the current folder. RESTWAY_DEMO_URL is the address
of the server, if it is another one.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

import restway

DOCUMENT = Path(__file__).parent / "inspection.restway.json"


def open_client(name: str) -> restway.Client:
    """Opens a client with files of its own. A second client stands for a second device."""
    folder = Path(os.environ.get("INSPECTIONS", "."))
    return restway.Client(
        str(DOCUMENT),
        base_url=os.environ.get("RESTWAY_DEMO_URL"),
        store_path=str(folder / f"{name}.db"),
        outbox_path=str(folder / f"{name}-outbox.db"),
    )


def form_of(client: restway.Client, number: int) -> restway.Object:
    """Returns a form from the store, which needs no network."""
    form = client.store.find("Inspection", number)
    if form is None:
        raise LookupError(f"there is no form {number}")
    return form


def edit(client: restway.Client, number: int, **values: str) -> int | None:
    """Sends values of a form. Returns the number of the request if it waits."""
    try:
        client.patch(client.draft(form_of(client, number), **values))
    except restway.QueuedError as queued:
        return queued.outbox_id
    return None


def create(client: restway.Client, **values: str) -> None:
    """Sends a new form. If its request waits, the store has the form all the same."""
    with suppress(restway.QueuedError):
        client.post(client.draft("Inspection", **values))


def delete(client: restway.Client, number: int) -> None:
    """Deletes a form. As long as its request waits, the store hides the form."""
    with suppress(restway.QueuedError):
        client.delete(form_of(client, number))


def show_forms(client: restway.Client) -> None:
    """Prints all forms as the user sees them."""
    for form in client.store.query("Inspection"):
        waits = " (waits)" if client.store.pending(form) else ""
        print(f"{form.place}: {form.result}{waits}")
    print(f"{len(client.outbox)} requests wait")


def show_what_waits(client: restway.Client) -> None:
    """Prints each value that waits, and the value that it replaces."""
    forms = client.store.query("Inspection").pending().pending_deletes("show")
    for form in forms:
        pending = client.store.pending(form)
        if pending.deletes:
            print(f"{form.place}: deleted")
        for name, value in pending.items():
            print(f"{form.place}: {name} is {value.mine}, was {value.base or 'empty'}")


def show_refused(client: restway.Client) -> None:
    """Prints the forms with a change that the server has refused, and the reasons."""
    for form in client.store.query("Inspection").rejected():
        print(f"{form.place}: {form.result} (refused)")
    for item in client.outbox.items():
        if item.state is restway.OutboxState.DEAD:
            print(item.error.api_message if item.error else item.last_error)


def correct(client: restway.Client) -> None:
    """Puts a corrected change in the place of the refused one."""
    for item in client.outbox.items():
        if item.state is restway.OutboxState.DEAD:
            client.outbox.drop(item)
    edit(client, 2, result="failed", remark="The door sticks.")


def work_in_the_field(client: restway.Client) -> None:
    client.cache.discriminator = "inspector"  # the user in whose name requests are stored
    client.get("inspections")  # while there still is a network
    client.set_reachability(restway.Reachability.UNREACHABLE)
    edit(client, 1, result="passed", remark="Both doors close.")
    edit(client, 2, result="failed")
    delete(client, 3)
    create(client, place="Roof ladder", result="passed")
    mistake = edit(client, 4, result="failed")
    if mistake is not None:
        client.outbox.drop(mistake)  # undoes the edit
    show_forms(client)


def work_in_the_office(client: restway.Client, colleague: restway.Client) -> None:
    show_what_waits(client)  # Nothing is sent before the user has signed in.

    colleague.get("inspections")
    edit(colleague, 1, place="Fire doors, east", remark="Ask for the key.")
    client.get("inspections")
    form = form_of(client, 1)
    theirs = client.store.confirmed(form)
    print(f"{form.place}: {form.remark} The server has: {theirs.remark if theirs else '-'}")

    client.cache.discriminator = "inspector"
    for item in client.outbox.flush(wait=True):
        is_done = item.state is restway.OutboxState.DELIVERED
        print(item.method, item.path, "delivered" if is_done else "refused")
    show_refused(client)
    correct(client)
    show_forms(client)


def main(place: str) -> int:
    with open_client("inspector") as client:
        if place == "field":
            work_in_the_field(client)
        else:
            with open_client("colleague") as colleague:
                work_in_the_office(client, colleague)
    return 0


if __name__ == "__main__":
    if sys.argv[1:] not in (["field"], ["office"]):
        sys.exit("usage: inspection.py field | office")
    sys.exit(main(sys.argv[1]))
