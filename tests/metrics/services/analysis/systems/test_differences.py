"""Runs in their order with what does not differ: from a study by trec_eval's scores, from files."""

import json
import re
from collections import Counter

import numpy as np
import pytest

from metrics.charts.analyses.systems.letter_rules import letter_rules
from metrics.charts.axes import TWO_LINES, WRAPPED
from metrics.core.comparisons.letters import letter
from metrics.core.comparisons.run_comparison import METHOD_NAMES, METHODS, decide
from metrics.core.files.scores import ScoreTable
from metrics.score_files.requests import FileRequest
from metrics.score_files.systems.differences import decided, differences_of_file, with_notes
from metrics.score_files.systems.topic_scores import topic_scores_of_file
from pooling.models import Run
from tests.assayer.commands.files.running import assayer
from tests.metrics.services.analysis.questions import answer_of, table_of
from tests.metrics.services.analysis.systems.system_study import (
    average_precision,
    score_lines,
    system_study,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return system_study()


def file_request(values: np.ndarray, method="tukey", groups=None) -> FileRequest:
    names = [f"t{row}" for row in range(len(values))]
    runs = [f"run{column}" for column in range(values.shape[1])]
    return FileRequest(ScoreTable(names, runs, values, groups), method, "zero")


def far_apart(n_topics: int, steps: list[float]) -> np.ndarray:
    rng = np.random.default_rng(3)
    return rng.random((n_topics, 1)) + rng.normal(0, 0.02, (n_topics, len(steps))) + steps


def test_of_a_study_it_is_that_of_trec_evals_scores(study):
    expected = average_precision(study)
    means = {run: sum(values) / 6 for run, values in expected.items()}
    rows = table_of(study, "differences")
    assert [row["run"] for row in rows] == sorted(means, key=lambda run: -means[run])
    outcome = decide(np.array(list(expected.values())).T, method="randomized-tukey")
    for place, row in enumerate(rows):
        assert row["mean"] == pytest.approx(means[row["run"]], abs=1e-12)
        assert row["mean_low"] <= row["mean"] <= row["mean_high"]
        assert row["letters"] == ",".join(outcome.letters[place])
        assert row["n_differing"] == int(outcome.significant[place].sum())
    assert {row["run"]: row["team"] for row in rows}["alpha"] == "Blue"
    result = answer_of(study, "differences").result
    assert result.headline == "6 queries are too few to tell which runs differ"


@pytest.mark.parametrize("method", METHODS)
def test_each_method_says_its_name(study, method):
    notes = answer_of(study, "differences", decide=method).result.notes
    assert any(note.startswith(METHOD_NAMES[method]) for note in notes)
    warns = any("does not hold the family-wise error" in note for note in notes)
    assert warns == (method == "newman-keuls")


def test_ranks_of_which_less_is_better_lead_when_small(study):
    runs = [run.pk for run in Run.objects.filter(direction="forward").exclude(name="zeta")]
    rows = table_of(study, "differences", measure="MeanR", run=runs, labels="none:original")
    means = [row["mean"] for row in rows]
    assert means == sorted(means) and means[0] >= 1
    assert rows[0]["rank"] == 1


def test_teams_have_colours_and_names_where_there_are_two_or_more(study):
    spec = answer_of(study, "differences").result.spec
    assert "color" not in spec["layer"][0]["encoding"]
    Run.objects.filter(name="beta").update(team="Red")
    spec = answer_of(study, "differences").result.spec
    assert spec["layer"][0]["encoding"]["color"]["field"] == "team"
    assert "beta (Red)" in {row["run"] for row in spec["data"]["values"]}


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"team": "Blue"}, "It takes 2 runs of this direction"),
        ({"direction": "reverse"}, "It takes 2 runs of this direction"),
        ({"measure": "MedR"}, "MedR is a median"),
        ({"measure": "MeanR"}, "MeanR has no finite value"),
    ],
)
def test_what_is_missing_is_told(study, choices, words):
    assert answer_of(study, "differences", **choices).reason.startswith(words)


@pytest.mark.parametrize(
    ("steps", "ending"),
    [
        ([0.5, 0.0], " and differs from the other run"),
        ([0.5, 0.0, 0.3], " and differs from both others"),
        ([0.5, 0.0, 0.3, 0.2], " and differs from all 3 others"),
        (
            [0.5, 0.495, 0.49],
            "; nothing separates it from the next run; 1 of 3 pairs of runs differs",
        ),
        ([0.5, 0.5, 0.0], "; nothing separates it from the next run; 2 of 3 pairs of runs differ"),
        ([0.5] * 3, "; nothing separates it from the next 2 runs; 0 of 3 pairs of runs differ"),
    ],
)
def test_headlines_of_thirty_topics_say_how_far_the_best_run_stands_alone(steps, ending):
    result = differences_of_file(file_request(far_apart(40, steps)))
    best = result.rows[0]
    assert result.headline == (
        f"{best[1]} leads with a mean of {best[3]:.4f} (95 % interval {best[4]:.4f} to "
        f"{best[5]:.4f}){ending}"
    )


def test_few_topics_or_groups_have_a_neutral_headline():
    values = far_apart(40, [0.5, 0.0])
    assert differences_of_file(file_request(values[:29])).headline == (
        "29 topics are too few to tell which runs differ"
    )
    groups = [f"g{row // 2}" for row in range(40)]
    assert differences_of_file(file_request(values, groups=groups)).headline == (
        "20 groups of topics are too few to tell which runs differ"
    )


def test_scores_of_0_or_1_are_marked_for_methods_of_near_normal_scores():
    values = (far_apart(40, [0.5, 0.0, 0.2]) > 0.5).astype(np.float64)
    words = "The scores of the file are 0 or 1: the method was made for scores that are near normal"
    for method, is_marked in (("tukey", True), ("randomized-tukey", False)):
        notes = differences_of_file(file_request(values, method)).notes
        assert any(note.startswith(words) for note in notes) == is_marked


def test_the_method_that_ran_in_place_of_another_is_told():
    scores = topic_scores_of_file(file_request(far_apart(10, [0.5, 0.0, 0.2])))
    outcome = decided(scores, "tukey")
    notes = with_notes(scores, outcome, "randomized-tukey").notes
    words = "Tukey's HSD and each pair's own error tested the file instead, as so many runs"
    assert any(note.startswith(words) for note in notes)


def test_many_runs_are_lower_bars_and_hundreds_have_no_names_and_letters():
    def result_of(n_runs):
        return differences_of_file(file_request(far_apart(40, np.linspace(0, 1, n_runs).tolist())))

    words = "Chart: names and letters of more than 120 runs are in the table alone."
    for n_runs, step in ((40, 22), (41, 15), (120, 15)):
        result = result_of(n_runs)
        assert result.spec["height"] == {"step": step}
        assert (result.spec["encoding"]["y"]["axis"] == WRAPPED) == (step == 22)
        letters = result.spec["layer"][-1]
        assert letters["encoding"]["text"] == {"field": "letters"} and words not in result.notes
    request = file_request(far_apart(40, [0.5, 0.0, 0.2]))
    names = ["clip_large_patch14_finetuned", "bm25", "splade"]
    of_long_names = differences_of_file(request._replace(table=request.table._replace(runs=names)))
    assert of_long_names.spec["height"] == {"step": TWO_LINES}
    many = result_of(121)
    assert many.spec["encoding"]["y"]["axis"] is None and len(many.rows) == 121
    assert not any(layer.get("mark", {}).get("type") == "text" for layer in many.spec["layer"])
    assert words in many.notes


@pytest.mark.parametrize("method", METHODS)
def test_a_rule_spans_each_letter_with_a_dot_at_each_of_its_runs(method):
    result = differences_of_file(file_request(far_apart(40, [0.5, 0.49, 0.48, 0.0, 0.3]), method))
    runs_of_letter: dict[str, list[str]] = {}
    for row in result.rows:
        for name in row[6].split(","):
            runs_of_letter.setdefault(name, []).append(row[1])
    shared = {name: runs for name, runs in runs_of_letter.items() if len(runs) > 1}
    members: dict[str, list[str]] = {}
    for layer in result.spec["layer"]:
        if layer["mark"].get("shape") == "circle":
            for dot in layer["data"]["values"]:
                members.setdefault(dot["letter"], []).append(dot["run"])
    assert members == shared and len(shared) < len(runs_of_letter)
    texts = [layer for layer in result.spec["layer"] if layer["mark"]["type"] == "text"]
    assert len(texts) == 1  # letters stand once
    spans = {
        span["letter"]: (span["first"], span["last"], span["n"])
        for layer in result.spec["layer"]
        if layer["mark"].get("strokeWidth") == 1
        for span in layer["data"]["values"]
    }
    assert spans == {name: (runs[0], runs[-1], len(runs)) for name, runs in shared.items()}


def test_rules_in_one_lane_have_no_run_in_common_and_lanes_have_room():
    letters = [["a"], ["a", "b"], ["b", "c"], ["b", "d"], ["d", "e"], ["f"]]
    rules = letter_rules(letters)
    assert [(rule.letter, rule.places, rule.lane) for rule in rules.rules] == [
        ("a", [0, 1], 0),
        ("b", [1, 2, 3], 1),
        ("d", [3, 4], 0),
    ]
    assert rules.note == ""
    everywhere = [[letter(number) for number in range(30)]] * 2
    assert [rule.lane for rule in letter_rules(everywhere).rules] == list(range(8))
    few = letter_rules([run_letters[:9] for run_letters in everywhere])
    assert [rule.letter for rule in few.rules] == list("abcdefgh")
    assert few.note.startswith(
        "Chart: 1 of 9 letters that runs share has no rule, for want of room;"
    )


def test_letters_without_room_for_a_rule_are_counted():
    result = differences_of_file(file_request(far_apart(6, np.linspace(0, 0.3, 60).tolist())))
    names = Counter(name for row in result.rows for name in row[6].split(","))
    letters = [name for name, n in names.items() if n > 1]
    rules = [layer for layer in result.spec["layer"] if layer["mark"].get("strokeWidth") == 1]
    n_left = len(letters) - sum(len(layer["data"]["values"]) for layer in rules)
    assert n_left > 0
    assert (
        f"Chart: {n_left} of {len(letters)} letters that runs share have no rule, for want of "
        "room; the table has all letters."
    ) in result.notes


def test_the_runs_of_a_marked_team_stand_out(study):
    Run.objects.filter(name="beta").update(team="Red")
    result = answer_of(study, "differences", mark="Blue").result
    stands = {value["run"]: value["stands"] for value in result.spec["data"]["values"]}
    assert [run for run, text in stands.items() if text == "marked"] == ["alpha (Blue)"]
    colour = result.spec["layer"][0]["encoding"]["color"]
    assert colour["scale"] == {"domain": ["marked", "other runs"], "range": ["@blue", "@slate"]}
    assert colour["legend"]["labelExpr"] == (
        "datum.value === 'marked' ? \"marked: Blue\" : datum.label"
    )
    assert result.spec["layer"][2]["mark"]["shape"] == "diamond"
    (rank,) = [row[0] for row in result.rows if row[1] == "alpha"]
    assert f"Marked by a dark diamond, team Blue: alpha (rank {rank}) of 5 runs." in result.notes
    pairs = answer_of(study, "pairwise-differences", mark="Blue").result
    assert pairs.notes[-1] == result.notes[-1]


def test_a_marked_team_without_a_run_here_is_told(study):
    Run.objects.filter(direction="reverse").update(team="Red")
    result = answer_of(study, "differences", mark="Red").result
    assert result.notes[-1] == "None of these runs is of the marked team Red."
    assert "color" not in result.spec["layer"][0]["encoding"]
    assert table_of(study, "differences", mark="Red") == table_of(study, "differences")


def test_an_arrow_spans_each_pseudo_group():
    result = differences_of_file(file_request(far_apart(40, [0.5, 0.5, 0.0, 0.2])))
    (arrow,) = [layer for layer in result.spec["layer"] if layer["mark"].get("strokeWidth") == 2]
    spans = [(row["first"], row["last"], row["n"]) for row in arrow["data"]["values"]]
    names = [row[1] for row in result.rows]
    assert spans == [(names[0], names[1], 2), (names[2],) * 2 + (1,), (names[3],) * 2 + (1,)]


def test_a_file_comes_by_the_command(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(score_lines(far_apart(40, [0.5, 0.0, 0.2])))
    options = ("--scores", str(path), "--method", "newman-keuls")
    value = json.loads(assayer("analyse", "differences", *options, "--json").stdout)
    assert [row[1] for row in value["rows"]] == ["run1", "run3", "run2"]
    assert any(note.startswith("Newman-Keuls") for note in value["notes"])
    assert assayer("analyse", "differences", *options, "--svg").stdout.startswith("<svg")


def test_of_small_scores_the_leader_has_a_mean_with_digits():
    result = differences_of_file(file_request(1e-14 * far_apart(40, [0, 0.5, 1])))
    assert re.match(
        r"run2 leads with a mean of 1\.\d+e-14 \(95 % interval 1\.\d+e-14 to 1\.\d+e-14\) and "
        "differs from both others$",
        result.headline,
    )


def test_runs_with_the_same_scores_on_other_topics_share_the_best_mean():
    rng = np.random.default_rng(1)
    scores = np.round(1e4 * rng.random(50), 4)
    both = np.column_stack([rng.permutation(scores), rng.permutation(scores)])
    headline = differences_of_file(file_request(both)).headline
    assert headline.startswith(f"2 of 2 runs share the best mean, {scores.mean():.4f}; 0 of 1 pair")
