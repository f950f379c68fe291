"""The difference of each pair of runs: from a study by SciPy's paired t test, and from files."""

import numpy as np
import pytest
from scipy import stats

from metrics.charts.analyses.systems.difference_bars import RunNames
from metrics.charts.analyses.systems.pair_cells import pair_cells
from metrics.core.analyses.systems.differences import (
    PairDifference,
    PlacedSystem,
    SystemDifferences,
)
from metrics.core.comparisons.run_comparison import METHODS, decide
from metrics.core.files.scores import ScoreTable
from metrics.core.statistics.intervals import NO_INTERVAL
from metrics.score_files.requests import FileRequest, NotDefined
from metrics.score_files.systems.pairs import pairs_of_file
from pooling.models import Run
from tests.metrics.services.analysis.questions import answer_of, table_of
from tests.metrics.services.analysis.systems.system_study import average_precision, system_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return system_study()


def of_file(values: np.ndarray, method="tukey"):
    names = [f"t{row}" for row in range(len(values))]
    runs = [f"run{column}" for column in range(values.shape[1])]
    return pairs_of_file(FileRequest(ScoreTable(names, runs, values), method, "zero"))


def far_apart(n_topics: int, steps: list[float]) -> np.ndarray:
    rng = np.random.default_rng(3)
    return rng.random((n_topics, 1)) + rng.normal(0, 0.02, (n_topics, len(steps))) + steps


@pytest.mark.parametrize("method", METHODS)
def test_of_a_study_it_is_scipys_paired_t_test_of_trec_evals_scores(study, method):
    expected = average_precision(study)
    rows = table_of(study, "pairwise-differences", decide=method)
    assert len(rows) == 10
    outcome = decide(np.array(list(expected.values())).T, method=method)
    names = [list(expected)[column] for column in outcome.order]
    for row in rows:
        first, second = expected[row["first"]], expected[row["second"]]
        assert row["difference"] == pytest.approx(np.subtract(first, second).mean(), abs=1e-12)
        interval = stats.ttest_rel(first, second).confidence_interval(0.95)
        assert (row["difference_low"], row["difference_high"]) == pytest.approx(interval)
        differs = outcome.significant[names.index(row["first"]), names.index(row["second"])]
        assert row["verdict"] == ("differ" if differs else "do not differ")
        assert row["first_rank"] <= row["second_rank"]
    result = answer_of(study, "pairwise-differences", decide=method).result
    assert result.headline == "6 queries are too few to tell which runs differ"
    assert result.extent == "5 runs and 6 queries; 10 pairs"


def test_ranks_of_which_less_is_better_have_negative_differences(study):
    runs = [run.pk for run in Run.objects.filter(direction="forward").exclude(name="zeta")]
    choices = {"measure": "MeanR", "run": runs, "labels": "none:original"}
    rows = table_of(study, "pairwise-differences", **choices)
    assert len(rows) == 6 and all(row["difference"] <= 0 for row in rows)


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"team": "Blue"}, "It takes 2 runs of this direction"),
        ({"direction": "reverse"}, "It takes 2 runs of this direction"),
        ({"measure": "MedR"}, "MedR is a median"),
    ],
)
def test_what_is_missing_is_told(study, choices, words):
    assert answer_of(study, "pairwise-differences", **choices).reason.startswith(words)


def test_a_headline_of_thirty_topics_names_the_closest_pair_that_differs():
    result = of_file(far_apart(40, [0.5, 0.0, 0.2]))
    row = next(row for row in result.rows if {row[0], row[1]} == {"run1", "run2"})
    assert result.headline == (
        f"3 of 3 pairs of runs differ; the closest that do are {row[4]:.4f} apart (run2 and run1, "
        f"95 % interval {row[5]:.4f} to {row[6]:.4f})"
    )
    assert of_file(far_apart(40, [0.5, 0.5])).headline == "None of 1 pair of runs differs"
    assert of_file(far_apart(40, [0.5, 0.5, 0.5])).headline == "None of 3 pairs of runs differs"


def test_pairs_that_differ_by_one_error_for_all_though_not_by_their_own_are_told():
    """Six quiet runs make the one error small; two that vary wildly differ by it alone."""
    rng = np.random.default_rng(2)
    quiet = rng.normal(0, 0.01, (40, 6))
    wild = rng.normal(0, 1, (40, 2))
    wild += np.array([0.2, -0.2]) - wild.mean(axis=0)
    result = of_file(np.hstack([quiet, wild]), "newman-keuls")
    n_within = sum(row[7] == "differ" and row[5] <= 0 <= row[6] for row in result.rows)
    notes = [note for note in result.notes if "0 lies in the pair's own interval" in note]
    assert n_within and notes[0].startswith(f"{n_within} pair")


def test_marks_stand_on_pairs_that_differ_and_many_runs_have_dark_cells_alone():
    few = of_file(far_apart(40, [0.5, 0.0, 0.2]))
    assert few.spec["layer"][1]["transform"] == [
        {"filter": {"field": "verdict", "equal": "differ"}}
    ]
    assert len(few.spec["data"]["values"]) == 3
    many = of_file(far_apart(40, np.linspace(0, 1, 41).tolist()))
    n_differing = sum(row[7] == "differ" for row in many.rows)
    assert len(many.spec["data"]["values"]) == n_differing < len(many.rows) == 820
    assert all(1 <= cell["x"] < cell["y"] <= 41 for cell in many.spec["data"]["values"])
    assert any(note.startswith("Chart: a dark cell is a pair that differs") for note in many.notes)


def test_diamonds_stand_at_the_names_of_a_marked_team_but_where_it_has_no_row_or_column():
    systems = [place(number) for number in range(4)]
    verdicts = decide(far_apart(40, [0.5, 0.0, 0.2, 0.3]), method="tukey")
    outcome = SystemDifferences(systems, verdicts, 0, 6)
    names = RunNames(["a", "b", "c", "d"], ["Us", "", "Us", "Us"], "AP", 40, "topics", "Us")
    _, columns, rows = pair_cells(outcome, [], names)["layer"]  # no marks: no pair differs
    assert columns["data"]["values"] == [{"first": "a"}, {"first": "c"}]
    assert rows["data"]["values"] == [{"second": "c"}, {"second": "d"}]
    outcome = outcome._replace(systems=[place(number) for number in range(50)])
    teams = ["Us" if number == 7 else "" for number in range(50)]
    names = names._replace(runs=[f"r{number}" for number in range(50)], teams=teams)
    assert pair_cells(outcome, [], names) is None
    pair = PairDifference(0, 1, 0.1, NO_INTERVAL, differ=True)
    columns, rows = pair_cells(outcome, [pair], names)["layer"][1:]
    assert (columns["data"]["values"], rows["data"]["values"]) == ([{"x": 8}], [{"y": 8}])


def place(system: int) -> PlacedSystem:
    return PlacedSystem(system, system + 1, 0.5, NO_INTERVAL, ["a"], 1, 0)


def test_more_runs_than_a_table_of_pairs_takes_are_refused():
    with pytest.raises(NotDefined, match="201 runs make too many pairs"):
        of_file(np.random.default_rng(1).random((3, 201)))


def test_of_small_scores_the_closest_pair_is_the_closest():
    headline = of_file(1e-14 * far_apart(40, [0, 0.5, 1.2])).headline
    assert headline.startswith("3 of 3 pairs of runs differ; the closest that do are 5.04e-15 ")
    assert headline.endswith("(run1 and run0, 95 % interval 4.95e-15 to 5.14e-15)")


@pytest.mark.parametrize("offset", [0, 1e8])
def test_pairs_are_equally_close_where_rounding_alone_parts_them(offset):
    values = offset + np.round(far_apart(40, [0, 0.5, 1.2]), 3)
    closest = of_file(values).headline
    assert "apart (run1 and run0, 95 % interval" in closest
    alike = values[:, [0, 1, 1]]
    alike[:, 2] += alike[:, 1] - alike[:, 0]
    assert "apart (2 pairs, such as run2 and run1, " in of_file(alike).headline
    alike[0, 2] += 1e-3
    assert "apart (run1 and run0, " in of_file(alike).headline
