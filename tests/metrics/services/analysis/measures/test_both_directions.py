"""Systems in both directions, from the database: scored by trec_eval's code, query by query."""

import re

import pytest
import pytrec_eval

from annotate.models import Item, ReferenceLabel, Resolution
from metrics.services.analysis.computation import look
from metrics.services.analysis.page import caption_of
from metrics.services.analysis.register import ANALYSES
from metrics.services.numbers import refresh
from pooling.models import Ranking, Run
from tests import cast
from tests.metrics import studies
from tests.metrics.services.analysis.collection.small_study import (
    documents_of,
    grade,
    queries_of,
    small_study,
)
from tests.metrics.services.analysis.questions import answer_of, chosen, compute_kept, table_of

pytestmark = pytest.mark.django_db
NAME = "both-directions"
TREC = {"C@1": "success_1", "C@5": "success_5", "C@10": "success_10", "AP": "map"}
FAMILIES = {"success.1,5,10", "map"}
SYSTEMS = {"alpha": "A", "beta": "B", "gamma": "A", "delta": "B"}


@pytest.fixture
def study():
    """Systems A (alpha, gamma) and B (beta, delta, which misses two documents); graded pairs."""
    collection = small_study()
    studies.run(collection, "delta", direction="reverse", seed=5, missing=2)
    for run, system in SYSTEMS.items():
        Run.objects.filter(name=run).update(system=system)
    grade(collection, {(0, 3): 1, (0, 0): 0, (1, 4): 2, (2, 5): 1, (3, 3): 0, (4, 8): 1})
    refresh.refresh(collection=collection)
    return collection


def expected_means(name: str, *, people=True, reference=True, excluded=()) -> dict[str, float]:
    """Means of trec_eval's values over all sources of a run's direction; one it misses counts 0."""
    run = Run.objects.get(name=name)
    labels = {}
    if reference:
        rows = ReferenceLabel.objects.values_list("query", "document", "grade")
        labels |= {(query, document): value for query, document, value in rows}
    if people:
        rows = Resolution.objects.values_list("pair__query", "pair__document", "grade")
        labels |= {(query, document): value for query, document, value in rows}
    qrels = {}
    for (query, document), value in labels.items():
        if query in excluded or document in excluded:
            continue
        source, target = (query, document) if run.direction == "forward" else (document, query)
        qrels.setdefault(str(source), {})[str(target)] = value
    rankings = {
        str(source): {
            str(target): 1.0 / rank
            for rank, target in enumerate((key for key in targets if key not in excluded), 1)
        }
        for source, targets in Ranking.objects.filter(run=run).values_list("source", "targets")
        if source not in excluded
    }
    values = pytrec_eval.RelevanceEvaluator(qrels, FAMILIES).evaluate(rankings)
    side = "query" if run.direction == "forward" else "document"
    n = Item.objects.filter(side=side, split="test").exclude(pk__in=excluded).count()
    return {
        measure: sum(row[trec_name] for row in values.values()) / n
        for measure, trec_name in TREC.items()
    }


def check(rows, **options) -> None:
    """Each system's row has the means of its two runs by trec_eval."""
    for row in rows:
        forward = expected_means(row["forward_run"], **options)
        reverse = expected_means(row["reverse_run"], **options)
        for name in TREC:
            assert row[f"{name}_forward"] == pytest.approx(forward[name], abs=1e-12)
            assert row[f"{name}_reverse"] == pytest.approx(reverse[name], abs=1e-12)
            assert row[f"{name}_mean"] == pytest.approx((forward[name] + reverse[name]) / 2)
        recalls = [means[name] for means in (forward, reverse) for name in ("C@1", "C@5", "C@10")]
        assert row["rsum"] == pytest.approx(100 * sum(recalls))


def test_both_directions_are_those_of_trec_eval_whichever_is_chosen(study):
    for direction in ("forward", "reverse"):
        rows = table_of(study, NAME, direction=direction, measure=" ".join(TREC))
        assert {(row["system"], row["forward_run"], row["reverse_run"]) for row in rows} == {
            ("A", "alpha", "gamma"),
            ("B", "beta", "delta"),
        }
        check(rows)
        means = [row["C@1_mean"] for row in rows]
        assert means == sorted(means, reverse=True)
        for row in rows:
            assert row["C@1_forward_low"] <= row["C@1_forward"] <= row["C@1_forward_high"]
            assert row["AP_reverse_low"] <= row["AP_reverse"] <= row["AP_reverse_high"]


@pytest.mark.parametrize(
    ("labels", "options"), [("only", {"reference": False}), ("none:original", {"people": False})]
)
def test_each_label_source_scores_both_directions(study, labels, options):
    check(table_of(study, NAME, labels=labels, measure=" ".join(TREC)), **options)


def test_excluded_items_are_left_out_of_both_directions(study):
    excluded = [queries_of(study)[5].pk, documents_of(study)[4].pk]
    Item.objects.filter(pk__in=excluded).update(
        excluded_at="2026-01-01T00:00Z", excluded_reason="broken"
    )
    check(table_of(study, NAME, measure=" ".join(TREC)), excluded=excluded)
    extent = answer_of(study, NAME).result.extent
    assert extent.startswith("2 systems, 5 queries") and "8 documents" in extent


def test_one_chosen_run_is_measured_with_its_partner_alone(study):
    beta = Run.objects.get(name="beta").pk
    (row,) = table_of(study, NAME, run=[beta], measure="AP")
    assert (row["system"], row["reverse_run"]) == ("B", "delta")
    assert "rsum" not in row


@pytest.mark.parametrize("name", ["both-directions", "protocols"])
def test_the_runs_of_both_directions_are_told_whichever_is_chosen(study, name):
    study.name = "Study coco"
    study.save()
    beta = Run.objects.get(name="beta").pk
    for direction, runs in (("forward", [beta]), ("reverse", []), ("forward", [])):
        parameters = {"direction": direction, **({"run": runs} if runs else {})}
        answer, choices = answer_of(study, name, **parameters), chosen(study, **parameters)
        caption = caption_of(ANALYSES[name], choices, answer)
        names = {"beta", "delta"} if runs else {"alpha", "beta", "gamma", "delta"}
        (text,) = re.findall(r"Runs: (.*?)\.", caption)
        assert set(text.split(", ")) == names


def test_of_many_systems_the_runs_are_counted(study):
    for number in range(2):
        for direction in ("forward", "reverse"):
            run = studies.run(study, f"{direction} {number}", seed=number, direction=direction)
            Run.objects.filter(pk=run.pk).update(system=f"C{number}")
    caption = caption_of(ANALYSES[NAME], chosen(study), answer_of(study, NAME))
    assert re.search(r" 8 runs: .*, .*, .*, .* and 4 more\.", caption)


def test_missed_items_and_few_queries_are_told(study):
    result = answer_of(study, NAME).result
    assert "Runs that miss documents, which count 0: delta (2)." in result.notes
    assert result.headline == "2 systems in both directions by C@1"
    assert (
        "Runs that miss documents, which count 0, and as beyond every rank by MedR where there is "
        "a positive: delta (2)."
    ) in answer_of(study, NAME, measure="C@1 MedR").result.notes


def cut_to_one(*names: str) -> None:
    """Leave only the first target of each ranking of these runs."""
    for ranking in Ranking.objects.filter(run__name__in=names):
        Ranking.objects.filter(pk=ranking.pk).update(
            targets=ranking.targets[:1], scores=ranking.scores[:1]
        )


KNOWN = "have no positive in the run's lists"


def test_ranks_that_nobody_knows_are_told_and_a_measure_that_is_defined_leads(study):
    result = answer_of(study, NAME, measure="MeanR C@1").result
    assert (
        f"MeanR is not defined for delta: some documents {KNOWN}, whose ranks nobody knows."
    ) in result.notes
    assert result.headline == "2 systems in both directions by MeanR"
    assert not any("not defined for" in note for note in answer_of(study, NAME).result.notes)
    cut_to_one(*SYSTEMS)
    result = answer_of(study, NAME, measure="MeanR MedR C@1").result
    assert result.notes[0] == (
        f"MeanR is not defined for alpha, beta: some queries {KNOWN}, whose ranks nobody knows."
    )
    assert (
        "MedR is not defined for gamma, delta: its median falls on ranks that nobody knows, as "
        f"many documents {KNOWN}."
    ) in result.notes
    assert result.headline == "2 systems in both directions by C@1"
    assert result.reading.startswith("Chart: C@1, as a mean") and result.spec is not None
    rows = table_of(study, NAME, measure="MeanR C@1")
    means = [row["C@1_mean"] for row in rows]
    assert means == sorted(means, reverse=True) and rows[0]["MeanR_forward"] is None


def test_where_no_average_is_defined_the_reason_is_told(study):
    cut_to_one(*SYSTEMS)
    assert answer_of(study, NAME, measure="MeanR").reason == (
        f"MeanR is not defined for alpha, beta: some queries {KNOWN}, whose ranks nobody knows. "
        f"MeanR is not defined for gamma, delta: some documents {KNOWN}, whose ranks nobody knows."
    )
    ReferenceLabel.objects.update(grade=1)
    assert answer_of(study, NAME, measure="MedR", labels="none:original", threshold=2).reason == (
        "MedR is not defined for alpha, beta: none of the queries has a positive. MedR is not "
        "defined for gamma, delta: none of the documents has a positive."
    )


def test_a_measure_that_is_defined_in_one_direction_has_a_chart_of_that_one(study):
    cut_to_one("gamma", "delta")
    result = answer_of(study, NAME, measure="MeanR").result
    assert result.headline == "2 systems in both directions by MeanR"
    assert {point["direction"] for point in result.spec["data"]["values"]} == {"Query to document"}


def test_runs_without_a_partner_or_with_several_are_left_out_with_a_note(study):
    studies.run(study, "lonely", seed=9)
    studies.run(study, "gamma 2", direction="reverse", seed=8)
    Run.objects.filter(name="gamma 2").update(system="A")
    result = answer_of(study, NAME).result
    assert [row[0] for row in result.rows] == ["B"]
    assert [note for note in result.notes if note.startswith("Left out")] == [
        "Left out, as no run of the other direction has their system and team: lonely.",
        "Left out, as several runs of the other direction have their system and team: alpha.",
    ]
    # of another team it is no partner
    Run.objects.filter(name="gamma 2").update(team="Blue")
    assert {row["system"] for row in table_of(study, NAME)} == {"A", "B"}


def test_two_runs_of_a_system_share_their_partner_and_are_told_apart(study):
    studies.run(study, "alpha 2", seed=11)
    Run.objects.filter(name="alpha 2").update(system="A")
    rows = table_of(study, NAME, measure=" ".join(TREC))
    assert {row["system"] for row in rows} == {"A: alpha", "A: alpha 2", "B"}
    check(rows)


def test_a_hidden_partner_is_seen_beside_a_hidden_run_of_the_same_person_alone(study):
    owner, another = cast.user(), cast.user()
    gamma, alpha = (Run.objects.filter(name=name) for name in ("gamma", "alpha"))
    gamma.update(is_hidden=True, uploaded_by=owner)
    for is_hidden, uploader, is_paired in [
        (False, owner, False),
        (True, another, False),
        (True, owner, True),
    ]:
        alpha.update(is_hidden=is_hidden, uploaded_by=uploader)
        systems = {row["system"] for row in table_of(study, NAME)}
        assert systems == ({"A", "B"} if is_paired else {"B"})


def test_runs_that_are_retired_are_no_partners(study):
    Run.objects.filter(name__in=["gamma", "delta"]).update(retired_at="2026-01-01T00:00Z")
    reason = answer_of(study, NAME).reason
    assert reason.startswith("It takes a run in each direction with the same system and team")
    assert "alpha, beta" in reason


def test_without_queries_of_that_name_in_the_other_direction_nothing_is_said(study):
    study.query_sets.filter(direction="reverse").update(name="other")
    assert answer_of(study, NAME).reason == (
        "The query set “all” has no documents in this direction: choose another one."
    )


@pytest.mark.django_db(transaction=True)
def test_a_partner_that_is_hidden_or_renamed_makes_it_old(study):
    for change in ({"name": "gamma 3"}, {"is_hidden": True}):
        choices = chosen(study)
        specs = [ANALYSES[NAME].spec(choices)]
        compute_kept(study, NAME)
        (answer,) = look(collection=study, specs=specs, runs=choices.runs)
        assert not answer.is_stale
        Run.objects.filter(name__startswith="gamma").update(**change)
        (answer,) = look(collection=study, specs=specs, runs=choices.runs)
        assert answer.is_stale
