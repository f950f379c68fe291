"""Leaderboards on demand: equal to `manage.py evaluate` on the same labels, cached, and deleted."""

import json

import numpy as np
import pytest
from scipy import stats

from annotate.models import (
    Annotator,
    Collection,
    Item,
    Part,
    QuerySet,
    QuerySetItem,
    ReferenceLabel,
    Resolution,
    Seat,
)
from metrics.core.comparisons import range_tests, significance, swaps
from metrics.models import Score
from metrics.services.leaderboard import computation
from metrics.services.leaderboard.choices.parameters import read_choices, read_comparison
from metrics.services.numbers import refresh
from pooling.models import Ranking, Run
from tests import cast
from tests.assayer.commands.files.running import output_of
from tests.metrics import studies
from tests.metrics.services.leaderboard import boards
from tests.tables.table_cleanup import module_rows

pytestmark = pytest.mark.django_db
MEASURES = "C@1 AP nDCG@10 R@5 Bpref AP(judged_only=True) MedR Judged@3"


@pytest.fixture(scope="module")
def judged(django_db_setup, django_db_blocker):
    """A study of 12 queries with two judges who disagree now and then, refreshed: its key."""
    with module_rows(django_db_blocker):
        study = studies.study("study", n_queries=12, n_documents=15)
        studies.run(study, "delta", seed=7, missing=2)
        for seed in range(2):
            studies.judge(cast.annotator(study), likes=0.5, seed=seed)
        refresh.refresh(collection=study)
        yield study.pk


@pytest.fixture
def board(judged):
    return Collection.objects.get(pk=judged)


def view_of(study, **parameters):
    choices = read_choices(collection=study, viewer=None, parameters=parameters)
    assert choices.errors == []
    boards.compute(collection=study, spec=choices.spec)
    return choices.spec, boards.find(collection=study, spec=choices.spec).value


def labels_of(study, *, people, source, threshold=None):
    """The labels of pairs by plain Python: {(query id, document id): grade}."""
    names = dict(Item.objects.filter(collection=study).values_list("pk", "external_id"))
    reference = {
        (names[q], names[d]): grade
        for q, d, grade in ReferenceLabel.objects.filter(
            reference_set__name="original"
        ).values_list("query", "document", "grade")
    }
    rows = {
        "": lambda: Resolution.objects.filter(grade__isnull=False).values_list(
            "pair__query", "pair__document", "grade"
        ),
        "first": lambda: Seat.objects.filter(state="done", number=1).values_list(
            "pair__query", "pair__document", "judgment__level__grade"
        ),
    }.get(
        people,
        lambda: Seat.objects.filter(state="done", annotator=people).values_list(
            "pair__query", "pair__document", "judgment__level__grade"
        ),
    )()
    people_grades = {(names[q], names[d]): grade for q, d, grade in rows}
    if source == "union:original":
        return {
            key: max(people_grades.get(key, 0), reference.get(key, 0))
            for key in {*people_grades, *reference}
        }
    return {
        "only": people_grades,
        "none:original": reference,
        "over:original": {**reference, **people_grades},
    }[source]


def evaluated(study, run, labels, tmp_path, *, threshold, bound=None, measures=MEASURES):
    """What `manage.py evaluate` says of a run on these labels.

    Every query of the set has a line in the qrels.
    bound : a grade to give to every unjudged target that the run retrieved
    """
    names = dict(Item.objects.filter(collection=study).values_list("pk", "external_id"))
    labels, lines = dict(labels), []
    for row in Ranking.objects.filter(run=run):
        for rank, target in enumerate(row.targets):
            lines.append(f"{names[row.source_id]} Q0 {names[target]} {rank + 1} {1000 - rank} x\n")
            if bound is not None:
                labels.setdefault((names[row.source_id], names[target]), bound)
    for item in Item.objects.filter(collection=study, side="query"):
        labels[item.external_id, "nowhere"] = 0
    (tmp_path / "run").write_text("".join(lines))
    (tmp_path / "qrels").write_text(
        "".join(f"{q} 0 {d} {grade}\n" for (q, d), grade in labels.items())
    )
    options = ("--qrels", tmp_path / "qrels", "--measures", measures, "--threshold", threshold)
    return json.loads(output_of("evaluate", tmp_path / "run", *options, "--json"))["all"]


def cell(value, run, name, direction=0):
    direction_value = value["directions"][direction]
    (measure,) = [
        measure_value
        for measure_value in direction_value["measures"]
        if measure_value["name"] == name
    ]
    return measure["cells"][direction_value["runs"].index(run.pk)]


@pytest.mark.parametrize(
    ("source", "threshold"), [("over:original", 1), ("union:original", 2), ("only", 1)]
)
def test_cells_and_bounds_equal_evaluate_on_the_same_labels(board, tmp_path, source, threshold):
    _, value = view_of(board, measures=MEASURES, labels=source, threshold=str(threshold))
    labels = labels_of(board, people="", source=source)
    for run in Run.objects.filter(direction="forward"):
        reference = labels_of(board, people="", source="none:original")
        alone = evaluated(board, run, reference, tmp_path, threshold=threshold)
        evaluated_means, *ends = (
            evaluated(board, run, labels, tmp_path, threshold=threshold, bound=bound)
            for bound in (None, 0, 2)
        )
        for name in MEASURES.split():
            cell_value = cell(value, run, name)
            # "nowhere" is a judged negative in no run: it moves Bpref's number of negatives alone
            if name != "Bpref":
                assert cell_value["whole"] == pytest.approx(evaluated_means[name], abs=1e-12), (
                    run.name,
                    name,
                )
                expected = None if source == "only" else pytest.approx(alone[name], abs=1e-12)
                assert cell_value["reference"] == expected
            least, most = cell_value["least"], cell_value["most"]
            if name in ("Bpref", "AP(judged_only=True)", "Judged@3"):
                assert (least, most) == (None, None)
            elif name == "C@1":  # no new positive lowers it: the two scenarios are its ends
                assert [least, most] == pytest.approx([end[name] for end in ends], abs=1e-12)
            elif name != "MedR":  # of which a query without a positive may take either end
                assert (
                    least - 1e-12
                    <= min(end[name] for end in ends)
                    <= max(end[name] for end in ends)
                    <= most + 1e-12
                )
                assert least < most


def test_first_labels_alone_and_one_person_alone_equal_evaluate(board, tmp_path):
    source = "union:original"
    annotator = Annotator.objects.filter(collection=board).last()
    run = Run.objects.get(name="alpha")
    means = []
    for people in ("first", str(annotator.pk)):
        _, value = view_of(board, measures="AP nDCG@10", labels=source, people=people)
        evaluated_means = evaluated(
            board, run, labels_of(board, people=people, source=source), tmp_path, threshold=1
        )
        for name in ("AP", "nDCG@10"):
            assert cell(value, run, name)["whole"] == pytest.approx(
                evaluated_means[name], abs=1e-12
            )
        means.append(cell(value, run, "nDCG@10")["whole"])
    assert len(set(means)) == 2


def test_the_usual_view_equals_the_stored_scores(board):
    _, value = view_of(board)
    for score in Score.objects.filter(measure__in=["AP", "C@5"], label_source="over:original"):
        direction = 0 if score.run.direction == "forward" else 1
        cell_value = cell(value, score.run, score.measure, direction)
        assert (cell_value["whole"], cell_value["low"], cell_value["high"]) == (
            score.mean,
            score.low,
            score.high,
        )
        assert (cell_value["defined"], cell_value["n_defined"]) == (
            score.mean_with_positive,
            score.n_with_positive,
        )


def per_query(board, name, source="over:original"):
    runs = Run.objects.filter(direction="forward").order_by("name")
    scores = Score.objects.filter(measure=name, label_source=source)
    return [run.pk for run in runs], np.array(
        [np.frombuffer(scores.get(run=run).per_query) for run in runs]
    ).T


def test_groups_and_decided_pairs_are_the_library_s_on_the_stored_values(board):
    method = "tukey"
    better = Run.objects.get(name="delta")
    for row in Ranking.objects.filter(run=better):  # one run that is plainly better
        own = ReferenceLabel.objects.get(query=row.source_id).document_id
        row.targets = [own, *[target for target in row.targets if target != own]]
        row.save()
    refresh.rebuild(collection=board)
    # by the reference: what people judge, and so who differs, is another thing each time
    _, value = view_of(board, decide=method, labels="none:original")
    (decision,) = [
        measure["decided"]
        for measure in value["directions"][0]["measures"]
        if measure["name"] == "AP"
    ]
    runs, scores = per_query(board, "AP", "none:original")
    same = range_tests.compare_systems(scores, method=method)
    assert decision["groups"] == [
        [runs[same.order[position]] for position in group] for group in same.groups
    ]
    assert len(decision["groups"]) == 2 and decision["groups"][0] == [better.pk]
    assert len(decision["pairs"]) == np.count_nonzero(np.triu(same.significant)) > 0


def test_what_cannot_be_decided_says_why(board):
    _, value = view_of(board, measures="MedR AP")
    forward, reverse = value["directions"]
    assert [measure["decided"]["why"] for measure in forward["measures"]] == [
        "a median, and the tests compare means",
        "",
    ]
    assert {measure["decided"]["why"] for measure in reverse["measures"]} == {"a single run"}
    assert forward["measures"][0]["cells"][0]["low"] is None


def test_parts_of_the_queries(board):
    judged_queries = set(
        Resolution.objects.filter(grade__isnull=False).values_list("pair__query", flat=True)
    )
    _, value = view_of(board, subset="judged", measures="AP")
    assert value["directions"][0]["n_queries"] == len(judged_queries)
    Part.objects.filter(item__side="document").delete()
    for number, item in enumerate(
        Item.objects.filter(collection=board, side="query").order_by("pk")
    ):
        Part.objects.filter(item=item).delete()
        if number:  # the first has no text: it is of no length
            Part.objects.create(
                item=item, position=1, kind="text", text=" ".join(["word"] * number)
            )
    for parameters, n in (
        ({"words_from": "0"}, 11),
        ({"words_from": "4"}, 8),
        ({"words_from": "4", "words_to": "5"}, 2),
    ):
        _, value = view_of(board, measures="AP", **parameters)
        assert (value["directions"][0]["n_queries"], value["directions"][1]["n_queries"]) == (n, 0)
    assert value["directions"][1]["measures"][0]["cells"][0]["whole"] is None


def test_a_query_set_of_part_of_the_queries_is_measured_on_those(board):
    few = QuerySet.objects.create(collection=board, name="few", direction="forward")
    QuerySetItem.objects.create(query_set=few, item=board.items.get(external_id="q0"))
    refresh.rebuild(collection=board)
    _, value = view_of(board, queries="few", measures="AP")
    assert value["directions"][0]["n_queries"] == 1
    assert value["directions"][0]["measures"][0]["decided"]["why"] == "fewer than two queries"


def test_a_view_is_computed_once_a_version_and_again_when_labels_change(board):
    spec, before = view_of(board, measures="AP", labels="only")
    assert boards.compute(collection=board, spec=spec) is False
    assert computation.look(collection=board, spec=spec).is_fresh
    studies.judge(cast.annotator(board), likes=0.9, seed=9)
    few = list(Resolution.objects.order_by("pair").values_list("pair", flat=True)[:4])
    Resolution.objects.filter(pair__in=few).update(status="single", grade=2)
    refresh.rebuild(collection=board)
    look = computation.look(collection=board, spec=spec)
    assert look.row.version != look.version and not look.is_fresh
    assert look.row.value == before, "the old view is served meanwhile"
    assert boards.compute(collection=board, spec=spec) is True
    assert boards.find(collection=board, spec=spec).value != before


def test_two_runs_compared_are_the_tests_on_the_stored_values(board):
    alpha, beta = Run.objects.get(name="alpha"), Run.objects.get(name="beta")
    choices = read_comparison(
        collection=board,
        viewer=None,
        parameters={"a": str(beta.pk), "b": str(alpha.pk), "measure": "AP"},
    )
    boards.compute(collection=board, spec=choices.spec)
    value = boards.find(collection=board, spec=choices.spec).value
    x, y = (
        np.frombuffer(
            Score.objects.get(run=run, measure="AP", label_source="over:original").per_query
        )
        for run in (beta, alpha)
    )
    assert value["difference"] == pytest.approx(float(np.mean(x - y)))
    tests = {row["name"]: row for row in value["tests"]}
    assert tests["t"]["p"] == significance.paired_t(x, y).p_value
    assert tests["wilcoxon"]["p"] == significance.wilcoxon(x, y).p_value
    assert set(tests) == set(significance.TESTS) - set(significance.ZERO_ONE_TESTS)
    assert value["swaps"] == {"reversal": swaps.reversal(x, y), "reer": swaps.reer_paired(x, y)}
    half = stats.t.sf(abs(tests["t"]["statistic"]) / np.sqrt(2), tests["t"]["n"] - 1)
    # as the page says it comes from the test below it
    assert value["swaps"]["reversal"] == pytest.approx(half)
    assert [d for _, d in value["points"]] == pytest.approx(sorted(x - y, reverse=True))
    assert (value["n_better"], value["n_worse"]) == (
        np.count_nonzero(x > y),
        np.count_nonzero(x < y),
    )
    best = value["ends"][0][0]
    assert best["values"][0] - best["values"][1] == pytest.approx(np.max(x - y))
