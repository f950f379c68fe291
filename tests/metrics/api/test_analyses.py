"""Analyses for programs: the register, a result with its choices, its table, refusals."""

import pytest

from annotate.models import ApiToken, Kept, Role
from metrics.score_files.choices import CHOICES_OF_PARAMETERS
from metrics.services.analysis.register import ANALYSES
from pooling.models import Run
from tests import cast
from tests.metrics import studies
from tests.metrics.services.analysis.questions import answer_of, compute_kept

pytestmark = pytest.mark.django_db(transaction=True)
ROOM = "/api/v1/collections/study/analyses/"
NAME = "positives-per-query"


@pytest.fixture
def study():
    return studies.judged_study("study")


@pytest.fixture
def headers(study):
    person = cast.member(study, Role.RESEARCHER)
    return cast.bearer(person, ApiToken.Scope.NUMBERS_READ, collection=study)


def test_the_register_is_listed(client, headers):
    rows = client.get(ROOM, headers=headers).json()["analyses"]
    assert [row["name"] for row in rows] == list(ANALYSES)
    assert all(row["question"] and row["definition"] and row["paper"] for row in rows)


def test_a_finding_is_awaited_and_then_there_with_its_choices(client, study, headers):
    waiting = client.get(f"{ROOM}{NAME}/", headers=headers)
    assert (waiting.status_code, waiting["Retry-After"]) == (202, "3")
    compute_kept(study, NAME)
    value = client.get(f"{ROOM}{NAME}/", headers=headers).json()
    result = answer_of(study, NAME).result
    assert (value["headline"], value["rows"]) == (result.headline, result.rows)
    assert (value["label_source"], value["threshold"]) == ("over:original", 1)
    assert (value["runs"], value["measures"], value["not_defined"]) == (None, None, None)
    assert value["spec"]["layer"] and value["caption"]
    table = client.get(f"{ROOM}{NAME}/table.csv", headers=headers)
    assert table.content.decode().startswith("labels,n_positive")


def test_a_long_table_is_sent_whole(client, study, headers):
    compute_kept(study, NAME)
    row = Kept.objects.get()
    rows = [[f"row {n}", *row.value["rows"][0][1:]] for n in range(1_234)]
    Kept.objects.update(value=row.value | {"rows": rows})
    assert client.get(f"{ROOM}{NAME}/", headers=headers).json()["rows"] == rows
    table = client.get(f"{ROOM}{NAME}/table.csv", headers=headers).content.decode()
    assert len(table.splitlines()) == 1 + len(rows)


def test_choices_are_parameters(client, study, headers):
    keys = [run.pk for run in Run.objects.filter(direction="forward").order_by("name")]
    compute_kept(study, "hits-by-length", run=keys, measure="C@1", labels="only")
    for runs in (f"run={keys[0]}&run={keys[1]}", "run=alpha&run=beta"):
        query = f"?{runs}&measure=C@1&label_source=only"
        value = client.get(f"{ROOM}hits-by-length/{query}", headers=headers).json()
        assert (value["runs"], value["measures"]) == (["alpha", "beta"], ["C@1"])
        assert value["label_source"] == "only"
    answer = client.get(f"{ROOM}hits-by-length/?run=nobody", headers=headers)
    assert answer.status_code == 422 and "Runs that the address names" in answer.json()["detail"]


def test_a_name_of_two_runs_is_refused_and_an_id_is_not(client, study):
    """A person's hidden run may have the name of a public one, and a retired one of both."""
    person = cast.member(study, Role.RESEARCHER)
    headers = cast.bearer(person, ApiToken.Scope.NUMBERS_READ, collection=study)
    alpha, beta = (Run.objects.get(name=name) for name in ("alpha", "beta"))
    hidden = studies.run(study, "another", seed=9)
    Run.objects.filter(pk=hidden.pk).update(name="alpha", is_hidden=True, uploaded_by=person)
    compute_kept(study, "hits-by-length", run=[alpha.pk, beta.pk], measure="C@1")
    path = f"{ROOM}hits-by-length/?measure=C@1&run=beta&run="
    answer = client.get(f"{path}alpha", headers=headers)
    assert (answer.status_code, answer.json()["detail"]) == (
        422,
        '2 runs that you may see are called "alpha": give the id of the one that you mean, '
        f"{alpha.pk} or {hidden.pk} (hidden).",
    )
    value = client.get(f"{path}{alpha.pk}", headers=headers).json()
    assert value["runs"] == ["alpha", "beta"]
    # somebody else's hidden run, and one that is not used any more, leave the name to the other
    stranger = cast.user("stranger")
    for changes in ({"uploaded_by": stranger}, {"retired_at": "2026-01-01T00:00Z"}):
        Run.objects.filter(pk=hidden.pk).update(**{"uploaded_by": person, **changes})
        value = client.get(f"{path}alpha", headers=headers).json()
        assert value["runs"] == ["alpha", "beta"]


def test_a_team_to_mark_is_a_parameter(client, study, headers):
    Run.objects.filter(name="alpha").update(team="Blue")
    compute_kept(study, "differences", mark="Blue")
    value = client.get(f"{ROOM}differences/?mark=Blue", headers=headers).json()
    assert value["mark"] == "Blue" and "Marked: team Blue. “Study” as of" in value["caption"]
    answer = client.get(f"{ROOM}differences/?mark=Red", headers=headers)
    assert (answer.status_code, answer.json()["detail"]) == (
        422,
        'No run is of the team "Red" to mark; there are: Blue.',
    )


def test_what_is_not_defined_is_told(client, study, headers):
    compute_kept(study, "hits-by-length", direction="reverse")
    path = f"{ROOM}hits-by-length/"
    value = client.get(f"{path}?direction=reverse", headers=headers).json()
    assert value["not_defined"] and value["headline"] is None and value["rows"] is None
    answer = client.get(f"{path}table.csv?direction=reverse", headers=headers)
    assert (answer.status_code, answer.json()["detail"]) == (422, value["not_defined"])


def test_unknown_parameters_and_values_are_refused(client, headers):
    answer = client.get(f"{ROOM}{NAME}/?labels=only", headers=headers)
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith('"labels" is no parameter; there are direction, run')
    answer = client.get(f"{ROOM}{NAME}/?direction=sideways", headers=headers)
    assert answer.status_code == 422 and "sideways" in answer.json()["detail"]
    assert client.get(f"{ROOM}nothing/", headers=headers).status_code == 404


@pytest.mark.parametrize(
    ("name", "parameter", "sentence"),
    [
        (NAME, "n=5", "n changes nothing in positives-per-query: leave it out; what does: {}."),
        (NAME, "method=bogus", "method changes nothing in positives-per-query: leave it out; "),
        (NAME, "run=alpha", "run changes nothing in positives-per-query: leave it out; what "),
        ("conclusions", "mark=Blue", "mark changes nothing in conclusions: leave it out; what "),
        (
            "labels-by-pool",
            "direction=forward",
            "direction changes nothing in labels-by-pool, which is of pairs: leave it out.",
        ),
        (
            "alpha-as-labels-came",
            "measure=AP",
            "measure changes nothing in alpha-as-labels-came: leave it out; it has no choices.",
        ),
    ],
)
def test_parameters_that_change_nothing_are_refused(client, headers, name, parameter, sentence):
    for path in (f"{ROOM}{name}/", f"{ROOM}{name}/table.csv"):
        answer = client.get(f"{path}?{parameter}", headers=headers)
        useful_names = "direction, label_source, threshold, queries, protocol"
        assert answer.status_code == 422
        assert answer.json()["detail"].startswith(sentence.format(useful_names))


@pytest.mark.parametrize(
    ("name", "parameter", "sentence"),
    [
        (
            "hits-by-length",
            "run=nope",
            "Runs that the address names and that are not there: 1 of 1 (“nope”).",
        ),
        (
            "differences",
            "method=bogus",
            '"bogus" is no choice of "method"; there are: randomized-tukey, tukey, regwq, '
            "randomization, newman-keuls.",
        ),
        (
            NAME,
            "label_source=nope",
            '"nope" says no part of people\'s labels: one of over:original, union:original, '
            "none:original, only.",
        ),
    ],
)
def test_a_refusal_is_of_its_parameter_alone(client, headers, name, parameter, sentence):
    answer = client.get(f"{ROOM}{name}/?{parameter}", headers=headers)
    assert (answer.status_code, answer.json()["detail"]) == (422, sentence)


def test_every_analysis_takes_the_parameters_of_its_choices(client, study, headers):
    values = {
        "run": "alpha",
        "label_source": "only",
        "threshold": "1",
        "queries": "all",
        "measure": "C@1",
        "method": "tukey",
        "missing": "runs",
        "n": "5",
        "error": "0.03",
        "difference": "0.03",
        "power": "0.8",
        "mark": "Blue",
    }
    Run.objects.update(team="Blue")
    for name, analysis in ANALYSES.items():
        own_values = {
            parameter: value
            for parameter, value in values.items()
            if CHOICES_OF_PARAMETERS[parameter] & analysis.choices
        }
        assert len(own_values) == len(analysis.choices)
        answer = client.get(f"{ROOM}{name}/", own_values, headers=headers)
        assert answer.status_code == 202, name


def test_a_token_needs_the_scope_and_the_role(client, study):
    person = cast.member(study, Role.RESEARCHER)
    other = cast.bearer(person, ApiToken.Scope.QRELS_READ, collection=study)
    for path in (ROOM, f"{ROOM}{NAME}/", f"{ROOM}{NAME}/table.csv"):
        assert client.get(path).status_code == 401
        assert client.get(path, headers=other).status_code == 403
        annotator = cast.bearer(cast.member(study, Role.ANNOTATOR), ApiToken.Scope.NUMBERS_READ)
        assert client.get(path, headers=annotator).status_code == 403
