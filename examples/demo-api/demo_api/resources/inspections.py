"""Forms of inspections, which the examples about work without a network change."""

from __future__ import annotations

from ..collection import Collection
from ..content import JSONObject
from ..database import Database
from ..errors import invalid_field
from ..schema import Field, Schema, choice, nonempty_text, text
from .crud import Crud

RESULTS = ("open", "passed", "failed")

#: The places of the first inspections, all of which are open.
_PLACES = ("Fire doors", "Goods lift", "Goods lift, entered twice", "Sprinklers")


class Inspections(Crud):
    def __init__(self, database: Database) -> None:
        schema = Schema(
            {
                "place": Field(nonempty_text, required=True),
                "result": Field(choice(RESULTS), default=lambda: RESULTS[0]),
                "remark": Field(text),
            }
        )
        forms = (
            {"id": identity, "place": place, "result": RESULTS[0], "remark": None}
            for identity, place in enumerate(_PLACES, start=1)
        )
        inspections = Collection("inspection", "inspections", forms)
        super().__init__(database, inspections, "inspections", schema)

    def stored(self, checked: JSONObject, identity: int) -> JSONObject:
        """Refuses a failure without a remark that says what is wrong."""
        if checked["result"] == "failed" and not checked["remark"]:
            raise invalid_field("remark", "is required if the result is failed")
        return super().stored(checked, identity)
