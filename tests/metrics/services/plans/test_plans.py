"""Plans: their terms, the times of their looks, and the permanence of their decisions."""

from dataclasses import replace
from itertools import combinations

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from annotate.models import Annotator, QuerySet, Role
from metrics import tasks
from metrics.models import Plan, PlanLook
from metrics.services.leaderboard.choices.parameters import read_choices
from metrics.services.leaderboard.decisions import decision
from metrics.services.plans import plans, plans_page
from pooling.models import Run
from tests import cast
from tests.metrics import studies

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    """12 queries of three pooled pairs each, nothing judged; two runs."""
    return studies.study("study", n_queries=12, n_documents=15, labels_per_pair=1, double_share="0")


def fix(study, **fields):
    lead = cast.member(study, Role.LEAD)
    query_set = study.query_sets.get(name="all", direction="forward")
    usual = {
        "measure": "AP",
        "threshold": 1,
        "label_source": "over:original",
        "method": "randomized-tukey",
        "alpha": 0.05,
        "looks": [25, 50, 100],
    }
    return plans.fix_plan(collection=study, by=lead, **{"query_set": query_set, **usual, **fields})


def judge(study, n, **how):
    annotator = Annotator.objects.filter(collection=study).first() or cast.annotator(study)
    assert studies.judge(annotator, n=n, **how) == n


def summary(plan):
    return plans_page.summary_of(plan=Plan.objects.get(pk=plan.pk), viewer=None)


def test_a_plan_names_the_runs_of_its_direction_and_counts_pairs(study):
    plan = fix(study)
    assert plan.runs == [run.pk for run in Run.objects.filter(direction="forward").order_by("name")]
    assert (plan.n_judged, plans.n_wanted(query_set=plan.query_set)) == (0, 36)
    judge(study, 5)
    assert plans.n_judged(query_set=plan.query_set) == 5
    reverse = study.query_sets.get(direction="reverse")
    assert (plans.n_judged(query_set=reverse), plans.n_wanted(query_set=reverse)) == (5, 36)
    assert plans.looks_at([25, 50, 55, 100], n=33) == [9, 17, 19, 33]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"measure": "Zeal@3"}, "Zeal"),
        ({"measure": "AP nDCG@10"}, "one measure"),
        ({"measure": " "}, "one measure"),
        ({"measure": "MedR"}, "a median"),
        ({"measure": "infAP"}, "infers from a sample"),
        ({"label_source": "over:elsewhere"}, "elsewhere"),
        ({"looks": []}, "1 to 20 tests"),
        ({"looks": [25, 25]}, "Planned tests go up"),
        ({"looks": [50, 25]}, "Planned tests go up"),
        ({"looks": [0, 25]}, "0 judged pairs, and there are 0 already"),
    ],
)
def test_what_cannot_be_fixed_says_why(study, fields, why):
    with pytest.raises(plans.PlanRefused, match=why):
        fix(study, **fields)
    assert not Plan.objects.exists()


def test_while_no_pair_is_wanted_there_is_nothing_to_plan(study):
    nothing = QuerySet.objects.create(collection=study, name="nothing", direction="forward")
    with pytest.raises(plans.PlanRefused, match="open a pool first"):
        fix(study, query_set=nothing)


def test_a_look_that_has_passed_cannot_be_planned_nor_a_second_plan_nor_one_of_one_run(study):
    with pytest.raises(plans.PlanRefused, match="two runs or more"):
        fix(study, query_set=study.query_sets.get(direction="reverse"))
    judge(study, 9)
    with pytest.raises(plans.PlanRefused, match="9 judged pairs, and there are 9 already"):
        fix(study)
    plan = fix(study, looks=[27, 100])
    with pytest.raises(plans.PlanRefused, match="in force already"):
        fix(study, looks=[27, 100])
    plans.end_plan(plan=plan)
    assert plans.active_plan(collection=study) is None and fix(study, looks=[27, 100])


def test_a_look_is_taken_once_it_is_reached_and_once_only(study):
    plan = fix(study)
    judge(study, 8)
    assert list(plans.plans_due()) == [] and plans.take_look(plan=plan) is None
    judge(study, 2, seed=1)
    assert list(plans.plans_due(collection=study)) == [plan.pk]
    look = plans.take_look(plan=plan)
    assert (look.number, look.n_judged, look.level) == (1, 10, pytest.approx(0.05 * 0.25**3))
    assert list(plans.plans_due()) == [] and plans.take_look(plan=plan) is None


def test_looks_that_were_passed_over_leave_their_alpha_to_the_next(study):
    plan = fix(study)
    judge(study, 20)
    look = plans.take_look(plan=plan)
    assert (look.number, look.level) == (2, pytest.approx(0.05 * 0.5**3))
    first, second, third = summary(plan).looks
    assert (
        first.at_text.startswith("passed over")
        and second.stored_look == look
        and third.at_text == "to come"
    )
    assert third.level == pytest.approx(0.05 * (1 - 0.5**3))
    judge(study, 16, seed=1)
    plans.take_look(plan=plan)
    assert sum(stored.level for stored in PlanLook.objects.all()) == pytest.approx(0.05)
    assert summary(plan).next_text == "All planned tests are done."


def test_a_look_decides_at_its_own_level(study):
    """Runs so different that one test finds it; no permutation reaches so early a look's level."""
    queries = study.items.filter(side="query").order_by("pk")
    documents = list(
        study.items.filter(side="document").order_by("pk").values_list("pk", flat=True)
    )
    for name, step in (("best", 0), ("worst", 7)):
        cast.run(
            study,
            name,
            {query.pk: ([documents[(i + step) % 15]], [1.0]) for i, query in enumerate(queries)},
        )
    Run.objects.filter(name__in=["alpha", "beta"]).delete()
    better, worse = Run.objects.filter(direction="forward").order_by("name")
    plan = fix(study, measure="P@1", looks=[8, 100])
    judge(study, 3, likes=1)
    assert plans.take_look(plan=plan).value["pairs"] == []
    assert (
        "left the order of some neighbours open: best and worst. The next planned test is at 36"
        in summary(plan).stop_text
    )
    judge(study, 33, likes=1)
    look = plans.take_look(plan=plan)
    assert (
        look.value["pairs"] == [[better.pk, worse.pk]]
        and look.value["method"] == "randomized-tukey"
    )
    assert summary(plan).stop_text.endswith(
        "decided every neighbouring order: for this order, judging can stop."
    )
    assert (
        summary(plan).last_text
        == "Planned test 2 of 2 (at 36 judged pairs, level .05) decided 1 of 1 pair of runs."
    )


def test_a_run_that_is_retired_since_is_left_out_and_a_look_that_decides_nothing_says_why(study):
    plan = fix(study)
    Run.objects.filter(name="beta").update(retired_at="2026-01-01T00:00Z")
    judge(study, 9)
    assert plans.take_look(plan=plan).value["why"] == "a single run"
    assert summary(plan).last_text.endswith("could decide nothing: a single run.")
    assert summary(plan).stop_text.startswith(summary(plan).last_text)


def test_the_refresh_asks_for_a_look_that_is_due_and_the_sweep_for_one_that_was_lost(
    study, monkeypatch
):
    enqueued = []
    monkeypatch.setattr(
        tasks,
        "enqueue_on_commit",
        lambda task, **arguments: enqueued.append((task.name, arguments)),
    )
    plan = fix(study)
    judge(study, 9)
    tasks.refresh(collection_id=study.pk)
    looks = [arguments for name, arguments in enqueued if name == "metrics.tasks.take_look"]
    assert looks == [{"plan_id": plan.pk}]
    tasks.sweep_plans()
    assert enqueued[-1] == ("metrics.tasks.take_look", {"plan_id": plan.pk})
    tasks.take_look(**looks[0])
    enqueued.clear()
    tasks.sweep_plans()
    assert enqueued == [] and plan.taken.count() == 1


def test_without_a_plan_a_refresh_asks_one_query_more(study):
    with CaptureQueriesContext(connection) as queries:
        assert list(plans.plans_due(collection=study)) == []
    assert len(queries) == 1


def test_an_ended_plan_looks_no_more_and_what_it_decided_stays(study):
    plan = fix(study)
    judge(study, 9)
    plans.take_look(plan=plan)
    judge(study, 9, seed=1)
    plans.end_plan(plan=plan)
    assert list(plans.plans_due()) == []
    tasks.take_look(plan_id=plan.pk)
    assert plan.taken.count() == 1
    assert summary(plan).next_text == "The plan is ended." and " Ended " in summary(plan).fixed_text


def test_what_is_fixed_refuses_changes(study):
    plan = fix(study)
    judge(study, 9)
    plans.take_look(plan=plan)
    rows = Plan.objects.filter(pk=plan.pk)
    changes = (
        lambda: rows.update(alpha=0.1),
        lambda: rows.update(looks=[1]),
        lambda: PlanLook.objects.update(level=0.1),
        lambda: PlanLook.objects.all().delete(),
    )
    for change in changes:
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
            change()
    rows.update(fixed_by=None)  # who is erased is no longer named
    assert "Fixed" in summary(plan).fixed_text and " by " not in summary(plan).fixed_text


def test_a_board_is_confirmatory_only_where_it_shows_what_the_plan_names(study):
    fix(study)
    spec = read_choices(collection=study, viewer=None, parameters={}).spec

    def is_on(**changes):
        return (
            plans_page.summary_for_leaderboard(
                collection=study, spec=replace(spec, **changes), viewer=None
            )
            is not None
        )

    assert is_on() and is_on(measures=("AP", "P@1")) and is_on(runs=spec.runs[:1])
    # which change nothing of what it decides
    assert is_on(method="tukey") and is_on(target="these")
    other_choices = {
        "measures": ("P@1",),
        "threshold": 2,
        "label_source": "only",
        "query_set": "other",
        "judged_only": True,
        "people": "first",
        "words": (1, None),
        "missing": "runs",
    }
    assert [name for name, value in other_choices.items() if is_on(**{name: value})] == []


def test_who_may_not_know_of_a_run_reads_nothing_of_it(study):
    other = cast.member(study, Role.RESEARCHER)
    lead = cast.member(study, Role.LEAD)
    studies.run(study, "delta", seed=5)
    query_set = QuerySet.objects.get(collection=study, direction="forward")
    terms = {
        "measure": "AP",
        "threshold": 1,
        "label_source": "only",
        "method": "tukey",
        "alpha": 0.05,
        "looks": [25],
    }
    plan = plans.fix_plan(collection=study, by=other, query_set=query_set, **terms)
    assert len(plan.runs) == 3
    Run.objects.filter(name="alpha").update(is_hidden=True, uploaded_by=other)
    judge(study, 9)
    plans.take_look(plan=plan)
    assert "AP of 2 runs" in plans_page.summary_of(plan=plan, viewer=lead).plan_text
    pairs = [[a, b] for a, b in combinations(plan.runs, 2)]
    decided = {"why": "", "groups": [[run] for run in plan.runs], "pairs": pairs}
    of_two = decision(
        {"name": "AP", "decided": decided},
        list(Run.objects.filter(pk__in=plan.runs, is_hidden=False)),
    )
    assert (of_two.n_decided, of_two.n_pairs) == (1, 1)
    decisions = {
        viewer: plans_page.summary_of(plan=plan, viewer=viewer).last_look.decision
        for viewer in (other, lead)
    }
    assert {run.name for run, _ in decisions[other].runs_with_letters} == {"alpha", "beta", "delta"}
    assert {run.name for run, _ in decisions[lead].runs_with_letters} == {
        "beta",
        "delta",
    } and decisions[lead].n_pairs == 1


def test_labels_that_were_in_have_spent_their_part_of_alpha(study):
    judge(study, 6)
    plan = fix(study, looks=[50, 100])
    assert plans.look_level(plan, 1, last=0) == pytest.approx(0.05 * (18**3 - 6**3) / 36**3)


def test_a_look_waits_while_a_run_is_read_again_and_none_is_taken_of_a_plan_that_ended(study):
    plan = fix(study)
    judge(study, 9)
    Run.objects.filter(name="beta").update(state=Run.State.RECEIVED, finished_at=None)
    assert plans.take_look(plan=plan) is None
    Run.objects.filter(name="beta").update(state=Run.State.READY, finished_at=plan.fixed_at)
    plans.end_plan(plan=plan)
    assert plans.take_look(plan=plan) is None
    assert not PlanLook.objects.exists()


def test_a_measure_with_too_long_a_name_is_refused(study):
    with pytest.raises(plans.PlanRefused, match="up to 60 letters"):
        fix(study, measure="F(beta=0.1234567890123456,judged_only=True,rel=0.5)@1000000000")
