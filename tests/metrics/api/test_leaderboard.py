"""The leaderboard for programs: the rows of its CSV, awaited, chosen by parameters, refused."""

import csv
import io

import pytest
from django.http import QueryDict

from annotate.core.files.spreadsheet_cells import safe_cell
from annotate.models import ApiToken, Role
from metrics.services.leaderboard.choices.parameters import read_choices
from metrics.services.numbers import refresh
from pooling.models import Run
from tests import cast
from tests.metrics import studies
from tests.metrics.services.leaderboard import boards

pytestmark = pytest.mark.django_db(transaction=True)
BOARD = "/api/v1/collections/study/leaderboard/"
TABLE = "/c/study/results/leaderboard/table.csv"


@pytest.fixture
def study():
    return studies.judged_study("study", seeds=range(2))


@pytest.fixture
def researcher(study):
    return cast.member(study, Role.RESEARCHER)


@pytest.fixture
def headers(study, researcher):
    return cast.bearer(researcher, ApiToken.Scope.NUMBERS_READ, collection=study)


def compute(study, query="", viewer=None):
    """Compute the table of an address of the page, as a worker does."""
    choices = read_choices(collection=study, viewer=viewer, parameters=QueryDict(query))
    assert choices.errors == []
    boards.compute(collection=study, spec=choices.spec)


@pytest.mark.parametrize(
    ("parameters", "address"),
    [
        ("", ""),
        ("label_source=only&measure=AP&measure=C@1", "labels=only&measures=AP,C@1"),
        ("measure=AP,MedR&threshold=2&method=tukey", "measures=AP,MedR&threshold=2&decide=tukey"),
        ("subset=judged&words_to=5&queries=all", "subset=judged&words_to=5&queries=all"),
    ],
)
def test_the_rows_are_those_of_the_csv(client, study, researcher, headers, parameters, address):
    waiting = client.get(f"{BOARD}?{parameters}", headers=headers)
    assert (waiting.status_code, waiting["Retry-After"]) == (202, "3")
    compute(study, address)
    value = client.get(f"{BOARD}?{parameters}", headers=headers).json()
    client.force_login(researcher)
    table = client.get(f"{TABLE}?{address}").content.decode()
    rows = list(csv.DictReader(io.StringIO(table)))
    assert len(value["rows"]) == len(rows) > 0
    once = {name: value[name] for name in ("collection", "computed_at", "is_stale")}
    once |= {name: value[name] for name in ("label_source", "positive_from", "query_set")}
    for row, printed in zip(value["rows"], rows, strict=True):
        assert Run.objects.get(pk=row.pop("run_id")).name == row["run"]
        assert {name: as_printed(cell) for name, cell in (once | row).items()} == printed
    assert value["is_stale"] is False and value["unscored_runs"] == []


def as_printed(cell):
    """A value of JSON as the CSV prints it."""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return str(safe_cell(cell))


def test_names_are_as_they_were_given(client, study, headers):
    Run.objects.filter(name="alpha").update(name="=1+1")
    compute(study)
    names = {row["run"] for row in client.get(BOARD, headers=headers).json()["rows"]}
    assert names == {"=1+1", "beta", "gamma"}


def test_runs_are_chosen_by_name_or_id_and_a_direction_has_its_own(client, study, headers):
    alpha, gamma = (Run.objects.get(name=name).pk for name in ("alpha", "gamma"))
    compute(study, f"run={alpha}&run={gamma}")
    query = f"run=alpha&run={gamma}"
    rows = client.get(f"{BOARD}?{query}", headers=headers).json()["rows"]
    assert {(row["run"], row["direction"]) for row in rows} == {
        ("alpha", "forward"),
        ("gamma", "reverse"),
    }
    value = client.get(f"{BOARD}?{query}&direction=reverse", headers=headers).json()
    assert {row["run_id"] for row in value["rows"]} == {gamma}


def test_one_annotator_is_chosen_by_her_pseudonym(client, study, headers):
    annotator = study.annotators.first()
    compute(study, f"people={annotator.pk}")
    query = {"people": annotator.pseudonym}
    assert client.get(BOARD, query, headers=headers).status_code == 200
    answer = client.get(BOARD, {"people": "first"}, headers=headers)
    assert answer.status_code == 202, "another table"


def test_a_board_is_stale_once_labels_have_changed(client, study, headers):
    compute(study)
    first = client.get(BOARD, headers=headers)
    tag = {"If-None-Match": first["ETag"]}
    assert client.get(BOARD, headers=headers | tag).status_code == 304
    studies.judge(cast.annotator(study), seed=3)
    answer = client.get(BOARD, headers=headers | tag)
    assert (answer.status_code, answer.json()["is_stale"]) == (200, True), "before it is counted"
    refresh.refresh(collection=study)
    answer = client.get(BOARD, headers=headers | tag)
    assert (answer.status_code, answer.json()["is_stale"]) == (200, True)
    assert answer.json()["computed_at"] == first.json()["computed_at"]
    compute(study)
    value = client.get(BOARD, headers=headers).json()
    assert value["is_stale"] is first.json()["is_stale"] is False


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("labels=only", '"labels" is no parameter; there are direction, run, label_source'),
        ("direction=up", '"up" is no choice of "direction"; there are: forward, reverse.'),
        ("subset=", '"" is no choice of "subset"; there are: judged.'),
        ("method=none", '"none" is no choice of "method"; there are: randomized-tukey'),
        ("people=nobody", '"nobody" is no choice of "people"; there are: first, '),
        ("subset=some", '"some" is no choice of "subset"; there are: judged.'),
        ("threshold=9", '"9" is no choice of "threshold"; there are: 1, 2.'),
        ("measure=XY", 'There is no measure "XY"; there are: '),
        ("run=nobody", "Runs that the address names and that are not there: 1 of 1"),
        ("words_from=x", '"x" is not a number of words'),
    ],
)
def test_wrong_choices_are_refused_with_the_sentence(client, headers, query, sentence):
    answer = client.get(f"{BOARD}?{query}", headers=headers)
    assert answer.status_code == 422 and answer.json()["detail"].startswith(sentence)


def test_a_hidden_run_is_for_its_uploader_alone(client, study, researcher, headers):
    Run.objects.filter(name="alpha").update(is_hidden=True, uploaded_by=cast.user("owner"))
    compute(study, viewer=researcher)
    rows = client.get(BOARD, headers=headers).json()["rows"]
    assert {row["run"] for row in rows} == {"beta", "gamma"}
    answer = client.get(f"{BOARD}?run=alpha", headers=headers)
    nobody = client.get(f"{BOARD}?run=nobod", headers=headers)
    assert answer.status_code == 422, "as for a run that there is not"
    assert answer.json()["detail"] == nobody.json()["detail"].replace("nobod", "alpha")
    Run.objects.filter(name="alpha").update(uploaded_by=researcher)
    compute(study, viewer=researcher)
    rows = client.get(BOARD, headers=headers).json()["rows"]
    assert {row["run"] for row in rows} == {"alpha", "beta", "gamma"}


def test_without_a_run_there_are_no_rows(client):
    study = studies.judged_study("study", with_runs=False)
    headers = cast.bearer(cast.member(study, Role.LEAD), ApiToken.Scope.NUMBERS_READ)
    value = client.get(BOARD, headers=headers).json()
    assert (value["rows"], value["computed_at"]) == ([], None)


def test_a_token_without_the_scope_or_the_role_gets_no_score(client, study, researcher):
    other_scope = cast.bearer(researcher, ApiToken.Scope.QRELS_READ)
    assert client.get(BOARD, headers=other_scope).status_code == 403
    annotator = cast.bearer(study.annotators.first().user, *ApiToken.Scope)
    assert client.get(BOARD, headers=annotator).status_code == 403
