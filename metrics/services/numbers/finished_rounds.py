"""Rounds that are finished: no pair of a pool waits for labels any more. Webhooks hear of it.

The numbers of the progress say so; a round is announced when they say it for the first time, in the
refresh that stores them, and again only after pairs of it waited once more.
"""

from collections.abc import Mapping
from typing import Any

from annotate.core.labels.pair_states import PairState
from annotate.models import Collection, HookEvent, Round
from annotate.services.storage import outbox
from metrics.models import Snapshot

Row = Mapping[str, Any]  # of a round in the progress
FOR_LEADS = (PairState.DISPUTED, PairState.ESCALATED, PairState.CANNOT_JUDGE)


def finished_rounds(*, collection: Collection) -> dict[int, Row]:
    """The finished rounds of pools, as the stored progress has them, by their keys; one query."""
    values = Snapshot.objects.filter(collection=collection, kind="progress").values_list("value")
    return {row["round"]: row for (value,) in values for row in value["rounds"] if is_finished(row)}


def is_finished(row: Row) -> bool:
    """True if a round of a pool has pairs, and none of them waits for labels."""
    n_waiting = sum(row["states"][state] for state in PairState if state.waits_for_labels)
    is_of_pool = row["kind"] == Round.Kind.POOL and row["pool"] is not None
    has_opened = row["state"] != Round.State.OPENING
    return is_of_pool and has_opened and row["n_pairs"] > 0 and n_waiting == 0


def announce_finished(*, collection: Collection, earlier: Mapping[int, Row]) -> int:
    """Tell webhooks of the open rounds that are finished now and were not; return how many.

    earlier : the finished rounds of before the refresh
    """
    new_rows = [
        row
        for key, row in finished_rounds(collection=collection).items()
        if key not in earlier and row["state"] == Round.State.OPEN
    ]
    for row in new_rows:
        facts = {
            "round": row["round"],
            "pool": row["pool"],
            "n_pairs": row["n_pairs"],
            "n_complete": row["states"][PairState.COMPLETE],
            "n_for_leads": sum(row["states"][state] for state in FOR_LEADS),
            "url": outbox.api_url("pool", collection.slug, row["pool"]),
        }
        outbox.announce(collection=collection, event=HookEvent.ROUND_FINISHED, data=facts)
    return len(new_rows)
