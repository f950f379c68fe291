"""Plans of a collection and of a file: cores are tested apart; here inputs, cost, pool and gaps."""

import numpy as np
import pytest

from annotate.models import Collection, Judgment, Role
from metrics.core.files.scores import ScoreTable
from metrics.score_files.register import SCORE_ANALYSES
from metrics.score_files.requests import FileRequest, NotDefined
from metrics.services.analysis.page import panels_of
from metrics.services.analysis.register import ANALYSES
from pooling.models import Run
from tests.metrics.services.analysis.questions import answer_of, chosen, compute_kept, table_of
from tests.metrics.services.analysis.systems.score_study import rows_of, score_study

pytestmark = pytest.mark.django_db
NAMES = ("sampling-error", "queries-for-error", "queries-for-difference")
ROWS = np.random.default_rng(5).integers(0, 2, (200, 2)).astype(float)


def of_file(name: str, values: np.ndarray, **fields: object):
    names = [f"run{number}" for number in range(values.shape[1])]
    table = ScoreTable([f"t{t}" for t in range(len(values))], names, values)
    find = SCORE_ANALYSES[name].find
    return find(FileRequest(table, "tukey", str(fields.get("treatment", "zero"))))


@pytest.fixture
def study() -> Collection:
    return score_study()


def test_without_pay_or_times_the_columns_say_so(study):
    Judgment.objects.update(active_ms=None)
    row = table_of(study, "queries-for-difference", measure="RR")[0]
    assert "pay" not in row and row["hours"] > 0
    result = answer_of(study, "queries-for-difference", measure="RR").result
    assert "a usual one, as none was timed" in str(result.notes)


def test_the_pool_form_opens_on_the_sample_that_the_headline_is_of(study):
    keys = [run.pk for run in Run.objects.filter(direction="forward")]
    compute_kept(study, "queries-for-error", run=keys, measure="RR", error=0.4)
    for roles, has_button in (([Role.RESEARCHER], True), ([Role.LEAD], False)):
        (panel,) = panels_of(
            collection=study,
            analyses=[ANALYSES["queries-for-error"]],
            choices=chosen(study, run=keys, measure="RR", error=0.4),
            roles=roles,
        )
        assert bool(panel.next_url) == has_button
        (n,) = (row["of_these"] for row in rows_of(panel.answer.result) if row["yours"])
        assert n < 6
        if has_button:
            assert panel.next_url.startswith("/c/study/judging/pools/new/?")
            for parameter in ("strategy=depth-k-sample", f"n_sources={n}", "depth=10"):
                assert parameter in panel.next_url
            assert all(f"runs={key}" in panel.next_url for key in keys)


@pytest.mark.parametrize(
    ("values", "name", "sentence"),
    [
        (ROWS, "sampling-error", "samples, within 0.0"),
        (ROWS, "queries-for-error", "within 0.03 of that on all in at least 95 of 100 samples"),
        (ROWS / 9, "queries-for-error", "topics keep the score of a run like run1 within 0.03"),
        (ROWS / 99, "queries-for-error", "1 of the 200 topics keeps the score of a run like"),
        (ROWS, "queries-for-difference", "To see a difference of 0.03 between runs like run0 and"),
        (ROWS[:20], "sampling-error", "20 topics are too few to know the errors of samples"),
        (ROWS[:20], "queries-for-error", "20 topics are too few to know how the scores of a"),
        (ROWS[:20], "queries-for-difference", "20 topics are too few to know how"),
    ],
)
def test_headlines_of_files_tell_a_number_from_thirty_topics_on(values, name, sentence):
    assert sentence in of_file(name, values).headline


def test_a_plan_of_differences_says_what_grows_and_that_a_pool_of_all_does_not_do():
    pairs = of_file("queries-for-difference", ROWS)
    assert any("the difference that as many topics show is 1.00 times" in n for n in pairs.notes)
    (note,) = pairs.next_notes
    assert note == (
        "That difference takes more topics than the 200 at hand: a pool of them all does not show "
        "it in 80 of 100 cases."
    )
    alike = ROWS[:, :1] + np.random.default_rng(4).normal(0, 0.01, (200, 2))
    assert of_file("queries-for-difference", alike).next_notes == []
    assert any("a run with the least spread errors are" in n for n in of_file(NAMES[1], ROWS).notes)


def test_errors_shrink_with_the_sample_and_end_where_there_are_no_more():
    rows = rows_of(of_file("sampling-error", ROWS))
    first = [row for row in rows if row["run"] == "run0"]
    assert [row["n"] for row in first] == [10, 25, 50, 100, 200, 250, 500]
    assert [row["of_these_95"] for row in first][4:] == [0, None, None]
    errors = [row["like_these_95"] for row in first]
    assert errors == sorted(errors, reverse=True)
    assert all(row["like_these_50"] < row["like_these_99"] for row in first)


def test_of_many_runs_of_a_file_the_first_four_have_lines_and_a_note_says_so():
    few = of_file("sampling-error", np.hstack([ROWS, ROWS])[:, :4])
    many = of_file("sampling-error", np.hstack([ROWS, ROWS, ROWS])[:, :5])
    note = "Of the first 4 of the 5 runs."
    assert len({row["run"] for row in rows_of(many)}) == 4
    assert note in many.notes and not any("first 4" in text for text in few.notes)


def test_the_run_in_the_middle_of_all_has_a_line_and_the_headline():
    """As in the other plans of the same runs."""
    spreads = np.array([0.1, 0.2, 0.3, 0.4, 0.6, 0.5, 0.9, 0.8, 0.7])
    values = 0.5 + 0.5 * spreads * (2 * np.random.default_rng(2).random((60, 1)) - 1)
    result = of_file("sampling-error", values)
    assert list(dict.fromkeys(row["run"] for row in rows_of(result))) == [
        *("run0", "run1", "run2", "run5"),
    ]
    assert " of run5 is, in at least 95 of 100 samples, within " in result.headline
    assert " of a run like run5 " in of_file("error-distribution", values).headline
    assert any("the first 3 of the 9 runs and run5, whose" in note for note in result.notes)


def test_a_distribution_is_of_a_tenth_a_quarter_and_half_and_narrows():
    result = of_file("error-distribution", ROWS)
    rows = rows_of(result)
    assert [row["n"] for row in rows] == [20, 50, 100]
    deviations = [row["deviation"] for row in rows]
    assert deviations == sorted(deviations, reverse=True)
    half = next(row for row in rows_of(of_file("sampling-error", ROWS[:, 1:])) if row["n"] == 100)
    assert rows[-1]["within_95"] == pytest.approx(half["of_these_95"], abs=0.01)
    assert result.headline.startswith("On 100 of the 200 topics the score of a run like run1 is")
    # the table has the points of the lines
    points = [
        (int(value["size"].split()[0]), value["share"], value["distance"])
        for value in result.spec["data"]["values"]
    ]
    assert points == [
        (row["n"], share, row[f"within_{share:g}"])
        for row in rows
        for share in (10, 25, 50, 75, 90, 95, 99)
    ]
    assert of_file("error-distribution", ROWS[:20]).headline == (
        "20 topics are too few to know the errors of samples"
    )


@pytest.mark.parametrize(
    ("values", "sentence", "about"),
    [
        (ROWS, "exact, as a score is one of two values", ""),
        (ROWS * np.linspace(0.5, 1, 200)[:, None], "samples of a size", "About "),
    ],
)
def test_the_reading_says_whether_errors_are_exact(values, sentence, about):
    for name in (NAMES[0], NAMES[1], "error-distribution"):
        assert sentence in of_file(name, values).reading
    headline = of_file(NAMES[1], values).headline
    assert headline.startswith("About ") == bool(about)


def test_scores_beyond_one_have_errors_of_their_own_size():
    rows = rows_of(of_file("queries-for-error", 40 + 20 * ROWS))
    assert [row["error"] for row in rows] == pytest.approx([5, 2.5, 1.5, 1, 0.5, 0.25])


def test_power_by_simulation_is_near_the_power_asked_for_and_absent_for_huge_numbers():
    rows = rows_of(of_file("queries-for-difference", ROWS))
    assert rows[2]["simulated_power"] == pytest.approx(0.8, abs=0.05)
    assert rows[-1]["n_80"] > 20_000 and rows[-1]["simulated_power"] is None
    assert all(row["n_80"] < row["n_90"] for row in rows)


def test_one_run_has_errors_and_no_difference(study):
    key = Run.objects.get(name="alpha").pk
    for name in NAMES[:2]:
        assert answer_of(study, name, run=key, measure="RR").result is not None
    assert "It takes 2 runs" in answer_of(study, NAMES[2], run=key).reason
    for name in NAMES[:2]:
        assert of_file(name, ROWS[:, :1]).rows
    with pytest.raises(NotDefined, match="2 runs"):
        of_file(NAMES[2], ROWS[:, :1])


def test_scores_without_a_spread_give_sentences():
    constant, shifted = np.full((50, 2), 0.25), ROWS[:, :1] + np.array([[0.0, 0.1]])
    assert rows_of(of_file(NAMES[0], constant))[0]["like_these_95"] == 0
    for name in (NAMES[1], "error-distribution"):
        assert "has the same score everywhere" in _reason(name, constant)
    for values in (constant, shifted, np.repeat(ROWS[:, :1], 2, axis=1)):
        assert "differ by the same everywhere" in _reason(NAMES[2], values)
    assert "two topics" in _reason(NAMES[0], ROWS[:1])


def test_few_groups_have_no_headline_however_many_topics():
    table = ScoreTable(
        [f"t{t}" for t in range(200)], ["a", "b"], ROWS, [f"g{t % 3}" for t in range(200)]
    )
    for name in NAMES:
        find = SCORE_ANALYSES[name].find
        headline = find(FileRequest(table, "tukey", "zero")).headline
        assert "few" in headline and "95 of 100" not in headline and "80 of 100" not in headline


def _reason(name: str, values: np.ndarray) -> str:
    with pytest.raises(NotDefined) as reason:
        of_file(name, values)
    return str(reason.value)
