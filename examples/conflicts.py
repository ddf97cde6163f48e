"""An inspector without a network, and the office, change the same forms.

    python3 examples/demo-api --port 8080 &
    python3 examples/conflicts.py

The files are in the folder INSPECTIONS, or in the current folder. RESTWAY_DEMO_URL is the address
of the server, if it is another one.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

import restway

DOCUMENT = Path(__file__).parent / "conflicts.restway.json"


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


def edit(client: restway.Client, number: int, **values: str) -> None:
    """Sends values of a form. Without a network, they wait in a file."""
    with suppress(restway.QueuedError):
        client.patch(client.draft(form_of(client, number), **values))


def delete(client: restway.Client, number: int) -> None:
    """Deletes a form. Without a network, the request waits in a file."""
    with suppress(restway.QueuedError):
        client.delete(form_of(client, number))


def show_conflicts(client: restway.Client) -> None:
    """Prints both sides of each conflict."""
    for conflict in client.outbox.conflicts():
        place = conflict.mine.place
        if conflict.kind is restway.ConflictKind.THEY_DELETED:
            print(f"{place}: you have changed it, and somebody else has deleted it")
        for name, value in conflict.items():
            print(f"{place}: {name} was {value.base or 'empty'}")
            print(f"  yours:  {value.mine}")
            print(f"  theirs: {value.theirs}")


def decide(client: restway.Client) -> None:
    """Resolves each conflict, as the user might do it."""
    for conflict in client.outbox.conflicts():
        if conflict.theirs is None:
            conflict.resolve("theirs")  # the form stays deleted
        else:
            both = f"{conflict.theirs.remark} {conflict.mine.remark}"
            conflict.resolve("mine", remark=both)


def set_rule(client: restway.Client) -> None:
    """Lets a form stay failed if it is failed on one side."""

    @client.resolver("Inspection")
    def failed_or_mine(conflict: restway.Conflict) -> None:
        result = conflict["result"]
        is_failed = "failed" in (result.mine, result.theirs)
        conflict.choose(result="failed" if is_failed else result.mine)


def save(client: restway.Client, number: int, **values: str) -> None:
    """Sends values of a form to a server that can be reached, or says why it is impossible."""
    try:
        client.patch(client.draft(form_of(client, number), **values))
    except restway.HTTPStatusError as error:
        if error.conflict is None:
            raise
        for name, value in error.conflict.items():
            print(f"Not saved: {name} is {value.theirs} by now")


def send(client: restway.Client) -> None:
    """Sends what waits, and prints how many changes are parked."""
    client.outbox.flush(wait=True)
    print(f"{client.outbox.counts().parked} conflicts")


def show_forms(client: restway.Client) -> None:
    """Prints all forms as the user sees them."""
    for form in client.store.all("Inspection"):
        print(f"{form.place}: {form.result}, {form.remark or 'no remark'}")


def main() -> int:
    with open_client("inspector") as client, open_client("office") as office:
        set_rule(client)
        client.get("inspections")
        office.get("inspections")

        client.set_reachability(restway.Reachability.UNREACHABLE)
        edit(client, 1, place="Fire doors, west", result="passed", remark="Both doors close.")
        edit(client, 2, result="failed", remark="The door sticks.")
        delete(client, 3)
        edit(client, 4, remark="Needs paint.")

        edit(office, 1, place="Fire doors, east", remark="Ask for the key.")
        edit(office, 2, result="passed")
        edit(office, 3, remark="Keep this form.")
        delete(office, 4)
        office.get(form_of(office, 1))  # An answer about one form has its version.

        client.set_reachability(restway.Reachability.UNKNOWN)
        send(client)
        show_conflicts(client)
        decide(client)
        send(client)
        show_forms(client)

        save(office, 1, remark="The key is under the mat.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
