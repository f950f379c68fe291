"""What pages say of a plan: what was fixed, what its looks decided, what comes next, and whether judging can stop."""

from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from django.contrib.auth.models import AnonymousUser

from annotate.models import Collection, QuerySet, User
from metrics.core.label_sources import LabelSource
from metrics.models import Plan, PlanLook
from metrics.services import plans
from metrics.services.leaderboard_decisions import Decision, decision
from metrics.services.leaderboard_wanted import METHOD_NAMES, Wanted
from pooling.models import Pool, Run

Viewer = User | AnonymousUser | None  # None is the operator, who sees every run
USUAL_LOOKS = (25, 50, 75, 100)  # per cent
NAMED = 6  # pairs of neighbours that a sentence names


class Standing(NamedTuple):
    """How far the judging of a query set is."""

    query_set: QuerySet
    n_judged: int
    n_wanted: int

    @property
    def text(self) -> str:
        """The pairs there are, and how many some per cent of them are."""
        direction = self.query_set.get_direction_display().lower()
        judged = f"{self.n_judged:,} of {self.n_wanted:,} pairs wanted are judged"
        shares = zip(USUAL_LOOKS, plans.looks_at(USUAL_LOOKS, n=self.n_wanted), strict=True)
        numbers = ", ".join(f"{share} % is {n:,}" for share, n in shares)
        return f"“{self.query_set.name}”, {direction}: {judged}; {numbers}"


class Look(NamedTuple):
    """A look of a plan: the number of judged pairs that it is for, and what it decided once it was taken.

    level : at which it decides, or would if none is passed over until then; None where it was passed over
    """

    number: int
    stated: int
    level: float | None
    taken: PlanLook | None
    decision: Decision | None

    @property
    def level_text(self) -> str:
        """The level as it is printed."""
        return "" if self.level is None else _printed(self.level)

    @property
    def at_text(self) -> str:
        """When it was taken."""
        if self.taken:
            n_samples = self.taken.value.get("n_samples") or 0
            drawn = f", {n_samples:,} permutations or tosses" if n_samples else ""
            return f"{_moment(self.taken.at)}, at {self.taken.n_judged:,}{drawn}"
        return "to come" if self.level is not None else "passed over: the next one had its part of alpha"


class PlanShown(NamedTuple):
    """A plan for somebody who may see these runs of it; n_judged : pairs that are judged by now."""

    plan: Plan
    runs: list[Run]
    looks: list[Look]
    n_judged: int

    @property
    def last(self) -> Look | None:
        """The last look that was taken."""
        return next((look for look in reversed(self.looks) if look.taken), None)

    @property
    def next(self) -> Look | None:
        """The look that comes next; None where none does."""
        after = self.last.number if self.last else 0
        return None if self.plan.ended_at else next(iter(self.looks[after:]), None)

    @property
    def words(self) -> str:
        """What was fixed."""
        plan, source = self.plan, LabelSource.parse(self.plan.label_source).label
        direction = plan.query_set.get_direction_display().lower()
        return (
            f"{plan.measure} of {len(self.runs):,} runs over query set “{plan.query_set.name}”, {direction}, with "
            f"{source}, positive from grade {plan.threshold}. {METHOD_NAMES[plan.method]}; alpha "
            f"{_printed(plan.alpha)} for all looks together."
        )

    @property
    def fixed_text(self) -> str:
        """By whom it was fixed, and when; and when it was ended."""
        who = f" by {self.plan.fixed_by.get_username()}" if self.plan.fixed_by else ""
        ended = f" Ended {_moment(self.plan.ended_at)}." if self.plan.ended_at else ""
        return f"Fixed {_moment(self.plan.fixed_at)}{who}, when {self.plan.n_judged:,} pairs were judged.{ended}"

    @property
    def last_text(self) -> str:
        """What the last look decided: all that is confirmed."""
        if self.last is None or self.last.decision is None:
            return "No look has been taken: nothing is confirmed."
        found = self.last.decision
        if found.why:
            return f"{self._last_name} could decide nothing: {found.why}."
        return f"{self._last_name} decided {found.n_decided:,} of {found.n_pairs:,} pairs of runs."

    @property
    def next_text(self) -> str:
        """What comes next."""
        if self.plan.ended_at:
            return "The plan is ended."
        if self.next is None:
            return "All looks are taken."
        return f"The next look is at {self.next.stated:,} judged pairs; there are {self.n_judged:,}."

    @property
    def stop_text(self) -> str:
        """Whether judging can stop for the order of the runs, by the last look."""
        if self.last is None or self.last.decision is None or self.last.decision.why:
            return f"{self.last_text} {self.next_text}"
        still_open = self.last.decision.open
        if not self.last.decision.n_pairs:
            return f"{self.last_text} {self.next_text}"
        if not still_open:
            return f"{self._last_name} decided every neighbouring order: for this order, judging can stop."
        named = "; ".join(f"{one.name} and {other.name}" for one, other in still_open[:NAMED])
        more = f" and {len(still_open) - NAMED:,} more" if len(still_open) > NAMED else ""
        return f"{self._last_name} left the order of some neighbours open: {named}{more}. {self.next_text}"

    @property
    def _last_name(self) -> str:
        look = self.last
        if look is None or look.taken is None:
            return ""
        where = f"at {look.taken.n_judged:,} judged pairs, level {look.level_text}"
        return f"Look {look.number} of {len(self.looks)} ({where})"


class PlanPage(NamedTuple):
    """The plan in force, or how far the query sets are where there is none; those that ended, the newest first."""

    in_force: PlanShown | None
    earlier: list[PlanShown]
    standings: list[Standing]


def standings(*, collection: Collection) -> list[Standing]:
    """How far the judging of each query set is; two queries a set."""
    sets = QuerySet.objects.filter(collection=collection).order_by("name", "direction")
    return [Standing(row, plans.n_judged(query_set=row), plans.n_wanted(query_set=row)) for row in sets]


def page_of(*, collection: Collection, viewer: Viewer) -> PlanPage:
    """All plans; three queries each."""
    rows = Plan.objects.filter(collection=collection).select_related("query_set", "fixed_by").order_by("-pk")
    known = [shown_of(plan=plan, viewer=viewer) for plan in rows]
    in_force = next((shown for shown in known if shown.plan.ended_at is None), None)
    earlier = [shown for shown in known if shown.plan.ended_at]
    return PlanPage(in_force, earlier, [] if in_force else standings(collection=collection))


def shown_of(*, plan: Plan, viewer: Viewer) -> PlanShown:
    """A plan with its looks; three queries."""
    runs = list(Run.objects.visible_to(viewer).filter(pk__in=plan.runs).order_by("name", "pk"))
    taken = {look.number: look for look in plan.taken.order_by("number")}
    last_taken, last, looks = max(taken, default=0), 0, []
    for number, stated in enumerate(plan.looks, start=1):
        look = taken.get(number)
        if look is None and number < last_taken:
            looks.append(Look(number, stated, None, None, None))
            continue
        level = look.level if look else plans.level_of(plan, number, last=last)
        found = decision({"name": plan.measure, "decided": look.value}, runs) if look else None
        looks.append(Look(number, stated, level, look, found))
        last = number
    return PlanShown(plan, runs, looks, plans.n_judged(query_set=plan.query_set))


def on_board(*, collection: Collection, wanted: Wanted, viewer: Viewer) -> PlanShown | None:
    """The plan in force, where a table shows just what it names, perhaps beside other measures; else None.

    The runs that are shown may be others: what is confirmed is of the plan's. One query where there is no plan.
    """
    plan = plans.active(collection=collection)
    if plan is None or plan.measure not in wanted.measures:
        return None
    of_plan = {"runs": tuple(plan.runs), "method": plan.method, "target": ""}  # which change nothing that it decides
    shown = replace(wanted, measures=(plan.measure,), **of_plan)
    return shown_of(plan=plan, viewer=viewer) if shown == plans.wanted_of(plan) else None


def on_pool(*, pool: Pool, measure: str, label_source: str, threshold: int, viewer: Viewer) -> PlanShown | None:
    """The plan in force, where it is about the measure and labels of the advice on a pool; else None."""
    plan = plans.active(collection=pool.collection)
    if plan is None or (plan.measure, plan.label_source, plan.threshold) != (measure, label_source, threshold):
        return None
    return shown_of(plan=plan, viewer=viewer)


def _moment(at: datetime) -> str:
    return f"{at.day} {at:%B %Y %H:%M} UTC"


def _printed(level: float) -> str:
    """A level with two digits that count, as ".0055"."""
    return f"{level:.2g}".removeprefix("0") if level >= 0.0001 else "below .0001"
