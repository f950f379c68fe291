"""Plans, which a lead fixes beforehand, and their looks, which decide which runs differ.

A plan names a measure, a query set, a label source, a method, alpha and the numbers of judged pairs
at which it looks. Each look has its part of alpha (metrics.core.comparisons.sequential_analysis),
so that the chance that any of them decides anything false is alpha at most. Everything else that
pages say of differences is exploratory.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from math import ceil

from django.db import IntegrityError, transaction
from django.db.models import Exists, Max, OuterRef, Q
from django.db.models import QuerySet as Rows
from django.db.models.functions import Now

from annotate.models import Collection, Direction, Pair, QuerySet, QuerySetItem, RoundPair, User
from annotate.services.background.workers import try_lock
from annotate.services.storage.transactions import repeatable_read
from metrics.core.comparisons.run_comparison import METHOD_NAMES, PLAN_METHODS
from metrics.core.comparisons.sequential_analysis import level
from metrics.core.measures.measures import parse_one
from metrics.core.pools.undrawn_targets import counts_judgments
from metrics.models import Plan, PlanLook
from metrics.services.leaderboard.choice_values import direction_inputs, summary
from metrics.services.leaderboard.choices.choices import LeaderboardSpec
from metrics.services.leaderboard.choices.parameters import read_choices
from metrics.services.samples.estimates import EstimateKind, kind_of
from metrics.services.samples.pools import has_samples
from metrics.services.scores.labels import ends
from pooling.models import Run

MAX_LOOKS = 20
MAX_MEASURE_LETTERS = 60  # of a measure's name
METHODS = [(name, METHOD_NAMES[name]) for name in PLAN_METHODS]


class PlanRefused(Exception):
    """The plan cannot be fixed; the message says why, and nothing was changed."""


def active_plan(*, collection: Collection) -> Plan | None:
    """The plan in force; one query."""
    return (
        Plan.objects.filter(collection=collection, ended_at=None)
        .select_related("query_set")
        .first()
    )


def spec_of(plan: Plan) -> LeaderboardSpec:
    """The leaderboard that the plan is about."""
    return LeaderboardSpec(
        measures=(plan.measure,),
        threshold=plan.threshold,
        label_source=plan.label_source,
        people="",
        query_set=plan.query_set.name,
        judged_only=False,
        words=(None, None),
        method=plan.method,
        runs=tuple(plan.runs),
    )


def n_judged(*, query_set: QuerySet) -> int:
    """Pairs of a query set's queries to which people's labels give a grade."""
    return _pairs(query_set).filter(resolution__grade__isnull=False).count()


def n_wanted(*, query_set: QuerySet) -> int:
    """Pairs of a query set's queries that have a grade by people, or that some round wants."""
    open_round_pairs = RoundPair.objects.filter(pair=OuterRef("pk"), dropped_at=None)
    return (
        _pairs(query_set)
        .filter(Q(resolution__grade__isnull=False) | Exists(open_round_pairs))
        .count()
    )


def _pairs(query_set: QuerySet) -> Rows[Pair]:
    source, _ = ends(Direction(query_set.direction))
    items = query_set.members.filter(part=QuerySetItem.Part.SOURCE).values("item")
    return Pair.objects.filter(collection=query_set.collection_id, **{f"{source}__in": items})


def looks_at(per_cents: Sequence[float], *, n: int) -> list[int]:
    """The shares of n in per cent as numbers of judged pairs, rounded up."""
    return [ceil(round(n * share / 100, 6)) for share in per_cents]


def fix_plan(
    *,
    collection: Collection,
    by: User,
    query_set: QuerySet,
    measure: str,
    threshold: int,
    label_source: str,
    method: str,
    alpha: float,
    looks: Sequence[float],
) -> Plan:
    """Fix a plan over the runs of the query set's direction that are in use and published.

    looks : per cent of the pairs that are wanted now, ascending and all to come
    Raises PlanRefused.
    """
    parameters = {
        "measures": measure,
        "labels": label_source,
        "threshold": str(threshold),
        "queries": query_set.name,
    }
    choices = read_choices(collection=collection, viewer=by, parameters=parameters)
    if choices.errors:
        raise PlanRefused(choices.errors[0])
    name = _measure_of(collection, measure, choices.spec.measures)
    runs = _runs_of(query_set)
    n_judged_now, n_wanted_now = n_judged(query_set=query_set), n_wanted(query_set=query_set)
    if not n_wanted_now:
        raise PlanRefused("No pair of the query set is wanted yet: open a pool first.")
    numbers = looks_at(looks, n=n_wanted_now)
    _check_looks(numbers, n_judged_now)
    try:
        with transaction.atomic():
            return Plan.objects.create(
                collection=collection,
                query_set=query_set,
                measure=name,
                threshold=choices.spec.threshold,
                label_source=choices.spec.label_source,
                method=method,
                alpha=alpha,
                looks=numbers,
                runs=runs,
                n_judged=n_judged_now,
                fixed_by=by,
            )
    except IntegrityError as error:
        raise PlanRefused("A plan is in force already; end it first.") from error


def _runs_of(query_set: QuerySet) -> list[int]:
    """Keys of the runs that a plan compares. Raises PlanRefused where there are fewer than two."""
    published_runs = Run.objects.published().in_use()
    published_runs = published_runs.filter(
        collection=query_set.collection_id, direction=query_set.direction
    )
    runs = list(published_runs.order_by("name", "pk").values_list("pk", flat=True))
    if len(runs) < 2:
        raise PlanRefused(
            "A plan compares two runs or more of that direction that are published and in use."
        )
    return runs


def _measure_of(collection: Collection, text: str, names: Sequence[str]) -> str:
    """The name of the single measure of a plan.

    text : as it was entered; names : the measures parsed from it
    """
    (name, *more_names) = names
    if more_names or not text.strip():
        raise PlanRefused("A plan is about one measure.")
    if not parse_one(name).is_mean:
        raise PlanRefused(f"{name} is a median, and the tests compare means.")
    if counts_judgments(parse_one(name)):
        raise PlanRefused(f"{name} is about what is judged, not about how good a run is.")
    if len(name) > MAX_MEASURE_LETTERS:
        raise PlanRefused(f"The name of a measure has up to {MAX_MEASURE_LETTERS} letters.")
    if kind_of(parse_one(name)) == EstimateKind.APPROXIMATE and has_samples(collection=collection):
        raise PlanRefused(
            f"{name} is only approximately estimated from a sample, which decides nothing; P@k may."
        )
    return name


def _check_looks(looks: Sequence[int], n_judged_now: int) -> None:
    if not 1 <= len(looks) <= MAX_LOOKS:
        raise PlanRefused(f"A plan has 1 to {MAX_LOOKS} tests.")
    if list(looks) != sorted(set(looks)):
        raise PlanRefused("Planned tests go up, each at more pairs than the one before.")
    if looks[0] <= n_judged_now:
        raise PlanRefused(
            f"The first test is at {looks[0]:,} judged pairs, and there are {n_judged_now:,} "
            "already: it would be made knowing what it shows. Let the first test come later."
        )


def end_plan(*, plan: Plan) -> None:
    """End the plan; the decisions of its looks stay."""
    Plan.objects.filter(pk=plan.pk, ended_at=None).update(ended_at=Now())


def plans_due(*, collection: Collection | None = None) -> Iterator[int]:
    """Keys of plans whose next look is reached, of one collection or all.

    One query where no plan has looks to come.
    """
    plans = Plan.objects.filter(ended_at=None).select_related("query_set")
    if collection is not None:
        plans = plans.filter(collection=collection)
    for plan in plans.annotate(last=Max("taken__number")):
        last = plan.last or 0
        if (
            last < len(plan.looks)
            and _number_reached(plan, n_judged(query_set=plan.query_set)) > last
        ):
            yield plan.pk


def _number_reached(plan: Plan, n: int) -> int:
    """The number of the last look that n judged pairs reach; 0 where they reach none."""
    return bisect_right(plan.looks, n)


def take_look(*, plan: Plan) -> PlanLook | None:
    """Take the last look that is reached and store its decision.

    None where none is due or another process takes it.
    A look is taken once: looks reached before it in the meantime are passed over and leave it their
    alpha. It waits while a run of the plan is being read again. Safe to run twice and at once.
    """
    with try_lock(plan) as is_ours:
        if not is_ours:
            return None
        with repeatable_read():
            n_judged_now = n_judged(query_set=plan.query_set)
            last = plan.taken.aggregate(last=Max("number"))["last"] or 0
            number = _number_reached(plan, n_judged_now)
            unread = Run.objects.filter(pk__in=plan.runs, retired_at=None).exclude(
                state=Run.State.READY
            )
            if number <= last or unread.exists():
                return None
            level_now = look_level(plan, number, last=last)
            value = _decision(plan, level_now)
        with transaction.atomic():  # it may have been ended meanwhile
            if (
                not Plan.objects.select_for_update(of=("self",))
                .filter(pk=plan.pk, ended_at=None)
                .exists()
            ):
                return None
            return PlanLook.objects.create(
                plan=plan, number=number, n_judged=n_judged_now, level=level_now, value=value
            )


def look_level(plan: Plan, number: int, *, last: int) -> float:
    """The level of a look, given `last`, the number of the look taken before it, 0 for none.

    The part of alpha up to the labels that were in when the plan was fixed is never spent: they had
    been seen.
    """
    before = plan.looks[last - 1] if last else plan.n_judged
    return level(plan.looks[number - 1], last=before, end=plan.looks[-1], alpha=plan.alpha)


def _decision(plan: Plan, alpha: float) -> dict[str, object]:
    """The decision which of the plan's runs differ, among those still in use."""
    runs = list(Run.objects.in_use().filter(pk__in=plan.runs).order_by("name", "pk"))
    inputs = direction_inputs(
        collection=plan.collection, spec=spec_of(plan), query_set=plan.query_set
    )
    (measure,) = summary(inputs=inputs, runs=runs, report_progress=lambda _: None, alpha=alpha)[
        "measures"
    ]
    decision: dict[str, object] = measure["decided"]
    if not decision["why"] and decision["method"] != plan.method:
        why = f"{METHOD_NAMES[plan.method]} would take too long at so low a level"
        return {**decision, "why": why, "groups": [], "pairs": [], "letters": []}
    return decision
