"""Things that wait for leads, and their decisions."""

from typing import Any

from assayer.client.collection.part import CollectionPart
from assayer.client.records.record import Records
from assayer.client.records.review import Alarm, Decision, Inbox, WaitingPair


class Review(CollectionPart):
    """The inbox and the alarms of a collection."""

    def inbox(self) -> Inbox:
        """The number of things that wait for leads, by kind."""
        return Inbox.of(self.transport.read(self.address("inbox/")))

    def waiting_pairs(self, kind: str = "disputed") -> Records[WaitingPair]:
        """The pairs that wait for a decision.

        kind : disputed, cannot (be judged) or escalated
        """
        return self.listed(WaitingPair, f"inbox/{kind}/", {})

    def adjudicate(self, pair: int, grade: int, note: str = "") -> Decision:
        """Give a pair, by its id, a lead's grade; the note stays in the log."""
        fields = {"grade": grade, "note": note}
        words = f"inbox/pairs/{pair}/adjudicate/"
        return Decision.of(self.transport.create(self.address(words), fields))

    def alarms(self, **filters: Any) -> Records[Alarm]:
        """The alarms that are set; filters are `state` and `kind`."""
        return self.listed(Alarm, "alarms/", filters)
