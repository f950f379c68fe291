"""Plans in words: their terms, the decisions of their looks, and whether judging can stop."""

from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from django.contrib.auth.models import AnonymousUser

from annotate.core.consequences import Consequences
from annotate.core.phrases import counted
from annotate.models import Collection, QuerySet, User
from metrics.core.comparisons.run_comparison import METHOD_NAMES
from metrics.core.labels.label_sources import LabelSource
from metrics.models import Plan, PlanLook
from metrics.services.leaderboard.choices.choices import LeaderboardSpec
from metrics.services.leaderboard.decisions import MAX_NAMED_PAIRS, MeasureDecision, decision
from metrics.services.plans import plans
from pooling.models import Pool, Run

Viewer = User | AnonymousUser | None  # None is the operator, who sees every run
USUAL_LOOKS = (25, 50, 75, 100)  # per cent


class JudgingProgress(NamedTuple):
    """Numbers of judged and wanted pairs of a query set."""

    query_set: QuerySet
    n_judged: int
    n_wanted: int

    @property
    def text(self) -> str:
        """The numbers of pairs, and how many pairs the usual shares are."""
        direction = self.query_set.get_direction_display().lower()
        progress = f"{self.n_judged:,} of {self.n_wanted:,} pairs wanted are judged"
        shares = zip(USUAL_LOOKS, plans.looks_at(USUAL_LOOKS, n=self.n_wanted), strict=True)
        numbers = ", ".join(f"{share} % is {n:,}" for share, n in shares)
        return f"“{self.query_set.name}”, {direction}: {progress}; {numbers}"


class PlanLookRow(NamedTuple):
    """A look of a plan; it has a decision once it was taken.

    n_pairs : the number of judged pairs at which it is due
    level : of its decision, or its level if no look before it is passed over; None where it was
        passed over itself
    """

    number: int
    n_pairs: int
    level: float | None
    stored_look: PlanLook | None
    decision: MeasureDecision | None

    @property
    def level_text(self) -> str:
        """The level as printed."""
        return "" if self.level is None else _level_text(self.level)

    @property
    def at_text(self) -> str:
        """The time at which it was taken, or that it is to come or passed over."""
        if self.stored_look:
            n_samples = self.stored_look.value.get("n_samples") or 0
            samples_text = f", {n_samples:,} permutations or tosses" if n_samples else ""
            return f"{_moment(self.stored_look.at)}, at {self.stored_look.n_judged:,}{samples_text}"
        return (
            "to come"
            if self.level is not None
            else "passed over: the next one had its part of alpha"
        )


class PlanSummary(NamedTuple):
    """A plan with the runs that the viewer may see; n_judged : pairs judged by now."""

    plan: Plan
    runs: list[Run]
    looks: list[PlanLookRow]
    n_judged: int

    @property
    def last_look(self) -> PlanLookRow | None:
        """The last look taken."""
        return next((look for look in reversed(self.looks) if look.stored_look), None)

    @property
    def next_look(self) -> PlanLookRow | None:
        """The next look; None where none is to come."""
        after = self.last_look.number if self.last_look else 0
        return None if self.plan.ended_at else next(iter(self.looks[after:]), None)

    @property
    def plan_text(self) -> str:
        """The terms of the plan."""
        plan, source = self.plan, LabelSource.parse(self.plan.label_source).label
        direction = plan.query_set.get_direction_display().lower()
        return (
            f"{plan.measure} of {counted(len(self.runs), 'run')} over query set "
            f"“{plan.query_set.name}”, {direction}, with {source}, "
            f"positive from grade {plan.threshold}. "
            f"{METHOD_NAMES[plan.method]}; alpha {_level_text(plan.alpha)} for all tests together."
        )

    @property
    def fixed_text(self) -> str:
        """Names the person who fixed the plan, the time, and the time of its end."""
        by_text = f" by {self.plan.fixed_by.get_username()}" if self.plan.fixed_by else ""
        ended_text = f" Ended {_moment(self.plan.ended_at)}." if self.plan.ended_at else ""
        n_judged = self.plan.n_judged
        judged_text = f"{counted(n_judged, 'pair')} {'was' if n_judged == 1 else 'were'} judged"
        return f"Fixed {_moment(self.plan.fixed_at)}{by_text}, when {judged_text}.{ended_text}"

    @property
    def last_text(self) -> str:
        """The decision of the last look, which is all that is confirmed."""
        if self.last_look is None or self.last_look.decision is None:
            return "No planned test is done yet: nothing is confirmed."
        decision = self.last_look.decision
        if decision.why:
            return f"{self._last_name} could decide nothing: {decision.why}."
        return (
            f"{self._last_name} decided {decision.n_decided:,} of "
            f"{counted(decision.n_pairs, 'pair')} of runs."
        )

    @property
    def next_text(self) -> str:
        """The next look, or why there is none."""
        if self.plan.ended_at:
            return "The plan is ended."
        if self.next_look is None:
            return "All planned tests are done."
        return (
            f"The next planned test is at {self.next_look.n_pairs:,} judged pairs; there are "
            f"{self.n_judged:,}."
        )

    @property
    def stop_text(self) -> str:
        """The advice of the last look: judging can stop for the order of the runs, or not yet."""
        if self.last_look is None or self.last_look.decision is None or self.last_look.decision.why:
            return f"{self.last_text} {self.next_text}"
        open_pairs = self.last_look.decision.unseparated
        if not self.last_look.decision.n_pairs:
            return f"{self.last_text} {self.next_text}"
        if not open_pairs:
            return (
                f"{self._last_name} decided every neighbouring order: for this order, judging can "
                "stop."
            )
        pairs_text = "; ".join(
            f"{better.name} and {worse.name}" for better, worse in open_pairs[:MAX_NAMED_PAIRS]
        )
        more_text = (
            f" and {len(open_pairs) - MAX_NAMED_PAIRS:,} more"
            if len(open_pairs) > MAX_NAMED_PAIRS
            else ""
        )
        return (
            f"{self._last_name} left the order of some neighbours open: {pairs_text}{more_text}. "
            f"{self.next_text}"
        )

    @property
    def ending(self) -> Consequences:
        """The consequences of ending the plan while it is in force."""
        after = self.last_look.number if self.last_look else 0
        n_to_come = len(self.looks) - after
        n_taken = sum(look.stored_look is not None for look in self.looks)
        looks = counted(n_to_come, "planned test")
        return Consequences(
            act="end",
            title="End this plan",
            button=f"End it, without {looks} to come" if n_to_come else "End it",
            sentences=(
                f"{looks} to come would be lost." if n_to_come else "No planned test is to come.",
                f"What {counted(n_taken, 'planned test')} decided stays."
                if n_taken
                else "No planned test is done yet: nothing would be confirmed.",
            ),
            way_back="It cannot be taken back; another plan can be fixed, with an alpha of its "
            "own.",
        )

    @property
    def _last_name(self) -> str:
        look = self.last_look
        if look is None or look.stored_look is None:
            return ""
        details = f"at {look.stored_look.n_judged:,} judged pairs, level {look.level_text}"
        return f"Planned test {look.number} of {len(self.looks)} ({details})"


class PlanPage(NamedTuple):
    """The plan in force, or where there is none the judging progress of the query sets.

    ended_plans : the newest first
    """

    in_force: PlanSummary | None
    ended_plans: list[PlanSummary]
    judging_progress: list[JudgingProgress]


def judging_progress(*, collection: Collection) -> list[JudgingProgress]:
    """The judging progress of each query set; two database queries a set."""
    sets = QuerySet.objects.filter(collection=collection).order_by("name", "direction")
    return [
        JudgingProgress(row, plans.n_judged(query_set=row), plans.n_wanted(query_set=row))
        for row in sets
    ]


def page_of(*, collection: Collection, viewer: Viewer) -> PlanPage:
    """The page of all plans; three database queries each."""
    all_plans = (
        Plan.objects.filter(collection=collection)
        .select_related("query_set", "fixed_by")
        .order_by("-pk")
    )
    summaries = [summary_of(plan=plan, viewer=viewer) for plan in all_plans]
    in_force = next((summary for summary in summaries if summary.plan.ended_at is None), None)
    ended_plans = [summary for summary in summaries if summary.plan.ended_at]
    return PlanPage(
        in_force, ended_plans, [] if in_force else judging_progress(collection=collection)
    )


def summary_of(*, plan: Plan, viewer: Viewer) -> PlanSummary:
    """A plan with its looks; three database queries."""
    runs = list(Run.objects.visible_to(viewer).filter(pk__in=plan.runs).order_by("name", "pk"))
    stored_looks = {
        stored_look.number: stored_look for stored_look in plan.taken.order_by("number")
    }
    last_stored, previous, looks = max(stored_looks, default=0), 0, []
    for number, n_pairs in enumerate(plan.looks, start=1):
        stored_look = stored_looks.get(number)
        if stored_look is None and number < last_stored:
            looks.append(PlanLookRow(number, n_pairs, None, None, None))
            continue
        level = stored_look.level if stored_look else plans.look_level(plan, number, last=previous)
        look_decision = (
            decision({"name": plan.measure, "decided": stored_look.value}, runs)
            if stored_look
            else None
        )
        looks.append(PlanLookRow(number, n_pairs, level, stored_look, look_decision))
        previous = number
    return PlanSummary(plan, runs, looks, plans.n_judged(query_set=plan.query_set))


def summary_for_leaderboard(
    *, collection: Collection, spec: LeaderboardSpec, viewer: Viewer
) -> PlanSummary | None:
    """The plan in force, if a table shows its measure under its other terms; else None.

    The table may show more measures, and other runs: the plan confirms differences of its own. One
    query where there is no plan.
    """
    plan = plans.active_plan(collection=collection)
    if plan is None or plan.measure not in spec.measures:
        return None
    # Runs, method and target of the table change no decision of the plan.
    shown_spec = replace(
        spec, measures=(plan.measure,), runs=tuple(plan.runs), method=plan.method, target=""
    )
    return summary_of(plan=plan, viewer=viewer) if shown_spec == plans.spec_of(plan) else None


def summary_for_pool(
    *, pool: Pool, measure: str, label_source: str, threshold: int, viewer: Viewer
) -> PlanSummary | None:
    """The plan in force, if it has measure, labels and threshold of a pool's advice; else None."""
    plan = plans.active_plan(collection=pool.collection)
    if plan is None or (plan.measure, plan.label_source, plan.threshold) != (
        measure,
        label_source,
        threshold,
    ):
        return None
    return summary_of(plan=plan, viewer=viewer)


def _moment(at: datetime) -> str:
    return f"{at.day} {at:%B %Y %H:%M} UTC"


def _level_text(level: float) -> str:
    """A level with two digits that count, as ".0055"."""
    return f"{level:.2g}".removeprefix("0") if level >= 0.0001 else "below .0001"
