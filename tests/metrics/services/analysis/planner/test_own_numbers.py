"""Numbers that somebody typed for the planner: in an address, a command, the API, and results."""

import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from django.http import QueryDict
from scipy import stats
from statsmodels.stats.power import TTestPower

from annotate.models import ApiToken, Role
from metrics.core.analyses.planner.error_distributions import SHARES
from metrics.core.files.scores import ScoreTable
from metrics.score_files.plan_numbers import NO_NUMBERS, PlanNumbers, read_plan_numbers
from metrics.score_files.register import SCORE_ANALYSES
from metrics.score_files.requests import FileRequest, NotDefined
from metrics.services.analysis.page import panels_of
from metrics.services.analysis.register import ANALYSES
from pooling.models import Run
from tests import cast
from tests.assayer.commands.files.running import assayer
from tests.metrics import studies
from tests.metrics.management.commands.running import manage
from tests.metrics.services.analysis.questions import answer_of, chosen, compute_kept, table_of
from tests.metrics.services.analysis.systems.score_study import rows_of, score_study

pytestmark = pytest.mark.django_db
NAMES = ("sampling-error", "error-distribution", "queries-for-error", "queries-for-difference")
ROWS = np.random.default_rng(5).integers(0, 2, (200, 2)).astype(float)
ROOM = "/c/study/results/analysis/planner/"


def of_file(name: str, values: np.ndarray = ROWS, **numbers: float):
    table = ScoreTable(
        [f"t{t}" for t in range(len(values))],
        [f"run{number}" for number in range(values.shape[1])],
        values,
    )
    find = SCORE_ANALYSES[name].find
    return find(FileRequest(table, "tukey", "zero", PlanNumbers(**numbers)))


def numbers_of(**texts: str) -> tuple[PlanNumbers, list[str]]:
    address, errors = QueryDict(mutable=True), list[str]()
    address.update(texts)
    return read_plan_numbers(address, errors), errors


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        ({}, NO_NUMBERS),
        ({"n": "", "error": " ", "power": ""}, NO_NUMBERS),
        ({"n": " 340 ", "error": "0.04"}, PlanNumbers(340, 0.04)),
        ({"difference": "1e-2", "power": ".5"}, PlanNumbers(difference=0.01, power=0.5)),
        ({"error": "2.5", "power": "0.99"}, PlanNumbers(error=2.5, power=0.99)),
    ],
)
def test_numbers_of_an_address_are_read(texts, numbers):
    assert numbers_of(**texts) == (numbers, [])


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        *(
            ("n", text, "is no number of queries: a whole number from 1 to 99,999,999.")
            for text in ("0", "-3", "2.5", "many", "²", "123456789")
        ),
        *(
            (name, text, f"is no {name} of scores: a number above 0, and below 1 where scores are")
            for name in ("error", "difference")
            for text in ("0", "-0.1", "nan", "inf", "0,05", "5 %")
        ),
        *(
            ("power", text, "is no power of a test: a number from 0.5 to 0.99, such as 0.8.")
            for text in ("0.49", "0.995", "80", "nan", "x")
        ),
    ],
)
def test_a_number_that_cannot_be_is_told_and_left_out(name, text, sentence):
    numbers, errors = numbers_of(**{name: text})
    assert numbers == NO_NUMBERS
    (error,) = errors
    assert error.startswith(f'"{text}" {sentence}')


@pytest.mark.parametrize("values", [ROWS, ROWS * 0.3 + 0.1 * ROWS[:, ::-1]])
@pytest.mark.parametrize("error", [1e-5, 1e-300])
def test_more_than_ten_million_queries_for_an_error_are_blank_and_told(values, error):
    result = of_file("queries-for-error", values, error=error)
    assert result.rows[-1] == [error, 200, None, "yours"]
    assert "Blank above ten million topics." in result.reading
    assert "It takes all 200 topics to keep" in result.headline
    points = {(row["kind"], row["y"]) for row in result.spec["data"]["values"]}
    assert ("Of these", error) in points and ("Like these", error) not in points


@pytest.mark.parametrize(("n", "n_high", "size"), [(60, 32, 30), (60, 20, 30), (120, 40, 60)])
def test_a_printed_distance_of_two_values_holds_by_another_program(n, n_high, size):
    hits = stats.hypergeom(n, n_high, size)
    errors = np.abs(np.arange(size + 1) / size - n_high / n).round(9)
    chances = hits.pmf(np.arange(size + 1))
    result = of_file("error-distribution", np.repeat([[0.0], [1.0]], [n - n_high, n_high], axis=0))
    half, most = re.findall(r"0\.\d{3}", result.headline)
    assert chances[errors <= float(half)].sum() >= 0.5
    assert chances[errors > float(most)].sum() <= 0.05
    (row,) = [row for row in result.printed_rows() if str(row[0]) == str(size)]
    for cell, share in zip(row[2:], SHARES, strict=True):
        assert chances[errors <= float(str(cell))].sum() >= share - 1e-9
    sampled = of_file("sampling-error", np.repeat([[0.0], [1.0]], [n - n_high, n_high], axis=0))
    (n_sampled,) = re.findall(r"^On (\d+) of", sampled.headline)
    (within,) = re.findall(r"0\.\d{3}", sampled.headline)
    counts = np.arange(int(n_sampled) + 1)
    is_within = np.abs(counts / int(n_sampled) - n_high / n).round(9) <= float(within)
    assert stats.hypergeom(n, n_high, int(n_sampled)).pmf(counts)[is_within].sum() >= 0.95


@pytest.mark.parametrize(("name", "key"), [(NAMES[2], "error"), (NAMES[3], "difference")])
def test_a_small_number_is_told_with_its_digits(name, key):
    rows = of_file(name, **{key: 0.00002}).printed_rows()
    (row,) = [row for row in rows if str(row[-1]) == "yours"]
    assert str(row[0]) == "0.000020"
    assert str(of_file(name).printed_rows()[-1][0]) == "0.0050"


def test_without_numbers_there_is_no_mark():
    for name in NAMES:
        result = of_file(name)
        assert "yours" not in [column.key for column in result.columns]
        assert "layer" not in result.spec and "yours" not in str(result.spec)


@pytest.mark.parametrize(
    ("name", "numbers", "key", "headline"),
    [
        (
            NAMES[0],
            {"n": 60},
            "n",
            "On 60 of the 200 topics the score of run1 is, in at least 95 of 100 samples, within",
        ),
        (NAMES[0], {"n": 100}, "n", "On 100 of the 200 topics"),
        (NAMES[1], {"n": 33}, "n", "On 33 of the 200 topics the score of a run like run1 is"),
        (NAMES[1], {"n": 200}, "n", "200 topics are all there are"),
        (NAMES[2], {"error": 0.07}, "error", "within 0.07 of that on all in at least 95 of"),
        (NAMES[2], {"error": 0.05}, "error", "within 0.05 of that on all in at least 95 of"),
        (NAMES[3], {"difference": 0.2}, "difference", "To see a difference of 0.2 between runs"),
    ],
)
def test_a_number_is_a_row_that_is_marked_and_of_which_the_headline_and_the_chart_are(
    name, numbers, key, headline
):
    result, usual = of_file(name, **numbers), of_file(name)
    assert headline in result.headline
    ((value),) = numbers.values()
    assert {row[key] for row in rows_of(result) if row["yours"] == "yours"} == {value}
    assert all(row["yours"] is None for row in rows_of(result) if row[key] != value)
    assert {row[key] for row in rows_of(result)} == {row[key] for row in rows_of(usual)} | {value}
    assert "yours" in str(result.spec)
    assert len(result.columns) == len(usual.columns) + 1
    size = {"n": "n", "error": "of_these", "difference": "n_80"}[key]
    (n,) = {row[size] for row in rows_of(result) if row["yours"]}
    assert result.next_parameters["n_sources"] == [str(n)]


def test_a_power_comes_first_and_its_numbers_are_those_of_another_program():
    result = of_file(NAMES[3], power=0.85, difference=0.07)
    keys = [column.key for column in result.columns]
    assert keys == ["difference", "n_85", "simulated_power", "n_80", "n_90", "yours"]
    assert result.columns[1].title == "Topics, 85 of 100 cases (yours)"
    (row,) = [row for row in rows_of(result) if row["yours"]]
    differences = ROWS[:, 0] - ROWS[:, 1]
    needed = TTestPower().solve_power(
        0.07 / differences.std(ddof=1), power=0.85, alpha=0.05, alternative="two-sided"
    )
    assert row["n_85"] == np.ceil(needed) and row["n_80"] < row["n_85"] < row["n_90"]
    assert row["simulated_power"] == pytest.approx(0.85, abs=0.05)
    assert f"0.07 between runs like run0 and run1 in 85 of 100 cases takes {row['n_85']:,}" in (
        result.headline
    )
    assert "far from .85 the formula" in result.reading
    kinds = result.spec["layer"][-1]["encoding"]["color"]["scale"]
    assert kinds["domain"][0] == "85 of 100 cases (yours)" and len(kinds["range"]) == 3


def test_a_difference_that_takes_too_many_queries_to_count_is_not_said_to_lack_queries():
    result = of_file(NAMES[3], difference=1e-5)
    assert result.headline == (
        "To see a difference of 1e-05 between runs like run0 and run1 in 80 of 100 cases takes "
        "more than ten million topics"
    )
    assert result.next_parameters == {}
    few = of_file(NAMES[3], ROWS[:20], difference=0.3)
    assert few.headline == "20 topics are too few to know how differences of runs spread"


def test_a_power_that_is_there_already_stands_once():
    result = of_file(NAMES[3], power=0.9)
    assert [column.key for column in result.columns[:4]] == [
        "difference",
        "n_90",
        "simulated_power",
        "n_80",
    ]
    assert "in 90 of 100 cases takes" in result.headline and "layer" not in result.spec


@pytest.mark.parametrize(
    ("name", "numbers", "sentence"),
    [
        (NAMES[0], {"n": 801}, "A sample of 801 cannot be drawn of 200 topics: choose 1 to 800."),
        (NAMES[2], {"error": 1}, "Scores are from 0 to 1 here: choose a number below 1, not 1."),
        (NAMES[3], {"difference": 3.5}, "Scores are from 0 to 1 here"),
    ],
)
def test_a_number_that_these_scores_cannot_have_is_told(name, numbers, sentence):
    with pytest.raises(NotDefined) as reason:
        of_file(name, **numbers)
    assert str(reason.value).startswith(sentence)


def test_scores_beyond_one_may_have_an_error_beyond_one():
    rows = rows_of(of_file(NAMES[2], 40 + 20 * ROWS, error=3))
    assert [row["error"] for row in rows if row["yours"]] == [3]


def test_an_error_that_takes_all_and_numbers_beyond_what_is_exact_are_told():
    result = of_file(NAMES[2], error=0.001)
    assert result.headline == (
        "It takes all 200 topics to keep the score of a run like run1 within 0.001 of that on all"
    )
    assert "Numbers above 100,000 are by the normal approximation." in result.reading
    assert "normal approximation" not in of_file(NAMES[2], error=0.07).reading


def test_a_distribution_has_no_row_of_more_than_there_are_and_says_so():
    result, usual = of_file(NAMES[1], n=201), of_file(NAMES[1])
    note = "A sample of 201 cannot be drawn of 200 topics once each, and has no row. “sampling-err"
    assert any(text.startswith(note) for text in result.notes)
    assert (result.rows, result.headline) == (usual.rows, usual.headline)


@pytest.mark.parametrize(
    ("name", "number"),
    zip(NAMES, [{"n": 60}, {"n": 60}, {"error": 0.07}, {"difference": 0.2}], strict=True),
)
def test_a_number_changes_no_other_row(name, number):
    values = np.random.default_rng(3).random((200, 2))
    usual = of_file(name, values).rows
    assert [row[:-1] for row in of_file(name, values, **number).rows if not row[-1]] == usual


def test_more_topics_than_are_at_hand_are_like_these():
    result = of_file(NAMES[0], n=700)
    rows = [row for row in rows_of(result) if row["yours"]]
    assert [(row["n"], row["of_these_95"]) for row in rows] == [(700, None)] * 2
    error = min(row["like_these_95"] for row in rows)
    assert result.headline.startswith("On 700 topics like these the score of run")
    assert any(
        f"within {row['like_these_95']:.3f} of that on all such topics" in result.headline
        for row in rows
    )
    # of shares of a half and 700 topics 1.96 * sqrt(.25 / 700)
    assert error == pytest.approx(0.037, abs=0.004)


@pytest.fixture
def study():
    return score_study()


def test_the_button_takes_the_number_and_names_it(study):
    keys = [run.pk for run in Run.objects.filter(direction="forward")]
    for name, numbers, n in ((NAMES[0], {"n": 4}, 4), (NAMES[1], {"n": 4}, 4)):
        compute_kept(study, name, run=keys, measure="RR", **numbers)
        (panel,) = panels_of(
            collection=study,
            analyses=[ANALYSES[name]],
            choices=chosen(study, run=keys, measure="RR", **numbers),
            roles=[Role.RESEARCHER],
        )
        assert panel.next_label == f"Pool a sample of {n}"
        assert f"n_sources={n}&" in panel.next_url and all(
            f"runs={key}" in panel.next_url for key in keys
        )
        assert "&n=4" in panel.url


def test_the_button_takes_all_runs_that_everybody_sees(study):
    for seed, name in enumerate(("eta", "theta", "iota"), start=20):
        studies.run(study, name, seed=seed)
    Run.objects.filter(name="iota").update(is_hidden=True)
    keys = {run.name: str(run.pk) for run in Run.objects.filter(direction="forward")}
    result = answer_of(study, NAMES[0], run=list(keys.values()), measure="RR").result
    assert len({row[0] for row in result.rows}) == 4  # lines that can be told apart
    assert result.next_parameters["runs"] == sorted(set(keys.values()) - {keys["iota"]}, key=int)
    assert [note for note in result.next_notes if "hidden ones are not taken" in note]
    Run.objects.filter(name="iota").update(is_hidden=False)
    result = answer_of(study, NAMES[0], run=list(keys.values()), measure="RR").result
    assert result.next_parameters["runs"] == sorted(keys.values(), key=int)
    assert result.next_notes == [] and "hidden" not in str(result.notes)


def test_where_more_is_needed_than_is_there_the_button_pools_all(study):
    result = answer_of(study, NAMES[3], measure="RR", difference=0.01).result
    assert result.next_label == "Pool all 6"
    assert result.next_parameters["strategy"] == ["depth-k"]
    assert "n_sources" not in result.next_parameters


def test_a_button_that_pools_too_few_says_so():
    wide_study = studies.study("wide", n_queries=40, n_documents=40)
    few = answer_of(wide_study, NAMES[3], measure="RR", difference=0.01).result
    assert few.next_label == "Pool all 40"
    assert few.next_notes == [
        "That difference takes more queries than the 40 at hand: a pool of them all does not show "
        "it in 80 of 100 cases."
    ]
    enough = answer_of(wide_study, NAMES[3], measure="RR", difference=0.4).result
    assert enough.next_label.startswith("Pool a sample of ") and enough.next_notes == []


def test_a_number_of_queries_has_its_cost_in_the_distribution(study):
    row = next(row for row in table_of(study, NAMES[1], measure="RR", n=4) if row["yours"])
    assert row["n"] == 4 and row["pairs"] > row["new_pairs"] > 0 and row["hours"] > 0
    assert "pairs" not in table_of(study, NAMES[1], measure="RR")[0]
    notes = answer_of(study, NAMES[1], measure="RR", n=4).result.notes
    assert any("pairs on average" in note for note in notes)


def test_only_numbers_that_an_analysis_has_change_its_key(study):
    whole = chosen(study, n=4, error=0.04, difference=0.05, power=0.7)
    usual = chosen(study)
    plans = {name: ANALYSES[name].spec(whole).plan for name in NAMES}
    assert plans[NAMES[0]] == plans[NAMES[1]] == PlanNumbers(n=4)
    assert plans[NAMES[2]] == PlanNumbers(error=0.04)
    assert plans[NAMES[3]] == PlanNumbers(difference=0.05, power=0.7)
    other = ANALYSES["positives-per-query"]
    assert other.spec(whole) == other.spec(usual)
    assert ANALYSES[NAMES[0]].spec(whole).key != ANALYSES[NAMES[0]].spec(usual).key
    assert ANALYSES[NAMES[3]].spec(whole).from_json(
        ANALYSES[NAMES[3]].spec(whole).as_json()
    ) == ANALYSES[NAMES[3]].spec(whole)


def test_the_page_offers_the_numbers_and_the_links_hold_them(study, client):
    client.force_login(cast.member(study, Role.RESEARCHER))
    page = client.get(f"{ROOM}?error=0.04&power=").content.decode()
    for name in ("n", "error", "difference", "power"):
        assert f'id="id_{name}"' in page
    assert 'value="0.04"' in page
    assert '&amp;error=0.04"' in page
    only = client.get(f"{ROOM}queries-for-error/").content.decode()
    assert 'id="id_error"' in only and 'id="id_power"' not in only
    assert 'id="id_error"' not in client.get("/c/study/results/analysis/pool/").content.decode()
    answer = client.get(f"{ROOM}?power=2")
    assert answer.status_code == 422
    assert '"2" is no power of a test' in unescape(answer.content.decode())


def test_numbers_are_parameters_of_the_api(study, client):
    person = cast.member(study, Role.RESEARCHER)
    headers = cast.bearer(person, ApiToken.Scope.NUMBERS_READ, collection=study)
    path = "/api/v1/collections/study/analyses/queries-for-error/"
    compute_kept(study, NAMES[2], error=0.04, measure="RR")
    value = client.get(f"{path}?error=0.04&measure=RR", headers=headers).json()
    assert (value["error"], value["n"], value["power"]) == (0.04, None, None)
    assert "yours" in [column["key"] for column in value["columns"]]
    refusal = client.get(f"{path}?error=none", headers=headers)
    assert refusal.status_code == 422 and "is no error of scores" in refusal.json()["detail"]


def test_numbers_are_options_of_the_command(study, tmp_path: Path):
    options = ("--collection", "study", "--measure", "RR", "--csv")
    table = manage("analyse", NAMES[2], *options, "--error", "0.04").stdout
    assert ",yours\r\n" in table and "\r\n0.04," in table
    assert "is no power" in manage("analyse", NAMES[3], *options, "--power", "7").stderr
    path = tmp_path / "scores.csv"
    lines = [f"t{t},{a:g},{b:g}\n" for t, (a, b) in enumerate(ROWS)]
    path.write_text("topic,a,b\n" + "".join(lines))
    from_file = ("--scores", str(path), "--csv")
    table = assayer("analyse", NAMES[1], *from_file, "--n", "33").stdout
    assert "\r\n33," in table and table.count("yours") == 2
    assert "is no number of queries" in assayer("analyse", NAMES[1], *from_file, "--n", "x").stderr
