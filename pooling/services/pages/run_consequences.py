"""The consequences of retiring a run and of deleting one, as its page tells them."""

from typing import NamedTuple

from annotate.core.consequences import Consequences
from annotate.core.phrases import counted
from annotate.models import User
from pooling.models import Run
from pooling.services.pools import run_retirement
from pooling.services.runs import deletion


class RunActs(NamedTuple):
    """The acts on a run that have consequences, None where there is nothing to do.

    may_delete : by whoever reads its page, if it were in no pool
    """

    retirement: Consequences | None
    deletion: Consequences | None
    may_delete: bool


def run_acts(*, run: Run, by: User) -> RunActs:
    """Return the consequences of the acts of a researcher on a run; four queries at most."""
    may_delete = deletion.may_delete(run=run, by=by)
    retirement = delete = None
    if run.state == Run.State.READY and not run.retired_at:
        retirement = retirement_consequences(n=run_retirement.n_waiting_pairs(run=run))
    if may_delete and run.state != Run.State.RECEIVED and not run.pools.exists():
        delete = deletion_consequences(run=run, n_rankings=run.rankings.count())
    return RunActs(retirement, delete, may_delete)


def retirement_consequences(*, n: int) -> Consequences:
    """Return the consequences of taking a run out of use.

    n : pairs that wait for labels in its open pools. Which of them it alone brought is known once
        the pools were gone through: told is the most.
    """
    pairs = counted(n, "pair")
    effect = (
        f"Of the open pools that it is part of, {pairs} wait for labels; of these, the pairs that "
        "no other run brought are no longer asked about."
        if n
        else "No pair of it waits for labels in an open pool."
    )
    return Consequences(
        act="retire",
        title="Retire",
        button=f"Retire, with at most {pairs}" if n else "Retire",
        sentences=("It leaves the leaderboard and new pools; judgments stay and count.", effect),
        way_back="It can be brought back here; the pairs are then asked about again.",
        n=n,
        is_danger=False,
    )


def deletion_consequences(*, run: Run, n_rankings: int) -> Consequences:
    """Return the consequences of deleting a run that is in no pool."""
    stays = "for good; what was downloaded before stays as it is."
    is_ready = run.state == Run.State.READY
    sentence = (
        f"Its file, its rankings and its scores go {stays} No pool was made of it, so no judgment "
        "rests on it."
        if is_ready
        else f"Its file goes {stays}"
    )
    size = f" with {counted(n_rankings, 'ranking')}" if is_ready else ""
    return Consequences(
        act="delete",
        title="Delete this run",
        button=f"Delete {run.name}{size} for good",
        sentences=(sentence,),
        way_back="It cannot be taken back; the same file can be uploaded again.",
        n=n_rankings,
    )
