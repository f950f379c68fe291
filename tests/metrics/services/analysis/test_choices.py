"""The choices that analyses share: direction, runs by description, and what changes a key."""

from dataclasses import replace
from urllib.parse import urlencode

import pytest
from django.http import QueryDict

from annotate.models import QuerySet, Role
from metrics.score_files.choices import Choice
from metrics.services.analysis.choices import (
    ALWAYS_IN_ROOM,
    PARAMETERS,
    AnalysisSpec,
    read_shared_choices,
    room_query,
    room_sentence,
)
from metrics.services.analysis.register import ANALYSES
from metrics.services.leaderboard.choices.choices import DEFAULT_MEASURES
from metrics.services.leaderboard.choices.parameters import read_choices
from pooling.models import Run
from tests import cast
from tests.metrics import studies
from tests.metrics.management.commands.running import manage
from tests.metrics.services.analysis.questions import chosen

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    """A study with two forward runs and a reverse one, described."""
    collection = studies.study("study")
    Run.objects.filter(name="alpha").update(team="Blue", tags=["dense", "large"])
    Run.objects.filter(name="beta").update(team="Red", tags=["dense"])
    Run.objects.filter(name="gamma").update(team="Blue", tags=["large"])
    return collection


def names(choices):
    return [run.name for run in choices.runs]


def test_without_a_choice_all_runs_of_the_first_runs_direction_count(study):
    choices = chosen(study)
    assert (choices.direction, names(choices)) == ("forward", ["alpha", "beta"])
    assert (choices.errors, choices.measures) == ([], [])
    assert [direction.value for direction in choices.directions] == ["forward", "reverse"]
    assert (choices.teams, choices.tags) == (["Blue", "Red"], ["dense", "large"])


def test_runs_are_chosen_by_hand_name_team_and_tag_together(study):
    assert names(chosen(study, direction="reverse")) == ["gamma"]
    assert names(chosen(study, team="Red")) == ["beta"]
    assert names(chosen(study, tag="dense")) == ["alpha", "beta"]
    assert names(chosen(study, tag="dense", team="Blue")) == ["alpha"]
    assert names(chosen(study, name="ALPH")) == ["alpha"]
    key = Run.objects.get(name="beta").pk
    assert names(chosen(study, run=key)) == ["beta"]
    assert chosen(study, run=key, team="Blue").errors


def test_a_description_that_no_run_has_is_told(study):
    choices = chosen(study, team="Green")
    assert choices.runs == []
    assert choices.errors == ["None of the chosen runs has such a name, team and tag."]


def test_no_ticked_run_is_told_and_an_empty_one_beside_others_is_none(study):
    choices = chosen(study, run="")
    assert choices.errors == ["No run is ticked: all are shown."]
    assert names(choices) == ["alpha", "beta"]
    key = Run.objects.get(name="beta").pk
    choices = chosen(study, run=["", key])
    assert (names(choices), choices.errors) == (["beta"], [])


def test_the_other_direction_has_the_runs_of_the_same_systems(study):
    studies.run(study, "delta", seed=9, direction="reverse")
    Run.objects.filter(name__in=("beta", "delta")).update(system="beta", team="Red")
    key = Run.objects.get(name="beta").pk
    assert names(chosen(study, run=key, direction="reverse")) == ["delta"]
    key = Run.objects.get(name="alpha").pk
    assert names(chosen(study, run=key, direction="reverse")) == ["delta", "gamma"]


def test_a_program_is_told_of_a_run_of_the_other_direction(study):
    keys = [Run.objects.get(name=name).pk for name in ("alpha", "gamma")]
    parameters = QueryDict("&".join(f"run={key}" for key in keys))
    choices = read_shared_choices(
        collection=study, viewer=None, parameters=parameters, one_direction=True
    )
    assert choices.errors == [
        "Run “gamma” is not of the direction query to document: leave it out, or choose the other "
        "direction."
    ]
    options = ("--collection", "study", "--run", "alpha", "--direction", "reverse")
    assert "Run “alpha” is not of" in manage("analyse", "normality", *options).stderr


def test_a_team_is_marked_by_name_in_both_directions(study):
    assert chosen(study).mark == ""
    Run.objects.filter(name="gamma").update(team="Green")
    for direction in ("forward", "reverse"):
        choices = chosen(study, mark="Green", direction=direction)
        assert (choices.mark, choices.errors) == ("Green", [])
        assert choices.all_teams == ["Blue", "Green", "Red"]
    choices = chosen(study, mark="Violet")
    assert choices.mark == ""
    assert choices.errors == [
        'No run is of the team "Violet" to mark; there are: Blue, Green, Red.'
    ]


def test_the_team_of_the_viewers_own_runs_is_marked_where_it_is_one(study):
    mine, other = (cast.member(study, Role.RESEARCHER) for _ in range(2))
    Run.objects.filter(name__in=["alpha", "gamma"]).update(uploaded_by=mine)
    assert chosen(study, viewer=mine).mark == "Blue"
    assert chosen(study, viewer=mine, mark="Red").mark == "Red"
    assert chosen(study, viewer=mine, mark="").mark == ""
    assert chosen(study, viewer=other).mark == ""
    Run.objects.filter(name="beta").update(uploaded_by=mine)
    assert chosen(study, viewer=mine).mark == ""


def test_the_team_of_other_peoples_hidden_runs_is_no_team_to_mark(study):
    mine, other = (cast.member(study, Role.RESEARCHER) for _ in range(2))
    Run.objects.filter(name="beta").update(is_hidden=True, uploaded_by=mine)
    assert chosen(study, viewer=mine, mark="Red").mark == "Red"
    choices = chosen(study, viewer=other, mark="Red")
    assert choices.errors == ['No run is of the team "Red" to mark; there are: Blue.']
    assert choices.all_teams == ["Blue"]


def test_a_direction_that_there_is_not_is_told_and_the_usual_one_taken(study):
    choices = chosen(study, direction="sideways")
    assert choices.direction == "forward"
    assert choices.errors == [
        '"sideways" is no direction with queries; there are: forward, reverse.'
    ]


def test_a_direction_without_queries_is_no_choice(study):
    QuerySet.objects.filter(direction="reverse").delete()
    assert chosen(study, direction="reverse").errors


def test_errors_of_labels_and_measures_are_told_too(study):
    errors = chosen(study, measure="nope", labels="over:none", threshold=7).errors
    assert len(errors) == 3
    choices = chosen(study, measure="nope")
    assert (choices.measures, choices.measure_text) == ([], "nope")
    assert chosen(study, measure="C@1", threshold=7).measures == ["C@1"]


def test_several_measures_are_chosen_each_once_and_an_analysis_takes_as_many_as_it_is_about(study):
    choices = chosen(study, measure="AP C@1, AP")
    assert (choices.errors, choices.measures) == ([], ["AP", "C@1"])
    assert ANALYSES["hits-by-length"].spec(choices).scores.measures == ("AP",)
    assert ANALYSES["measure-correlations"].spec(choices).scores.measures == ("AP", "C@1")
    many = chosen(study, measure=" ".join(f"C@{k}" for k in range(1, 14)))
    assert many.errors == ["13 measures are too many: choose 12 or fewer."]
    assert chosen(study, measure="C@1 infAP").errors == [
        "infAP infers from a sample: the page of such a pool has it."
    ]
    largest = max(study.levels.values_list("grade", flat=True))
    short = chosen(study, measure=f"AP ERR(max_grade={largest - 1})")
    assert short.errors == [
        f"ERR(max_grade={largest - 1}.0) takes grades up to {largest - 1}, and the levels go up to "
        f"{largest}: choose a max_grade of {largest} or more, or leave it out."
    ]
    whole = chosen(study, measure=f"ERR(max_grade={largest}) gRBP(max_grade={largest + 1})")
    assert (whole.errors, len(whole.measures)) == ([], 2)
    long = chosen(study, measure=" ".join(["C@1"] * 100))
    assert long.errors == ["The measures are longer than 300 characters: choose fewer."]


def test_choices_of_a_leaderboard_go_along_into_the_room(study):
    keys = [run.pk for run in Run.objects.order_by("name") if run.name in ("alpha", "beta")]
    address = QueryDict(
        f"run={keys[0]}&run={keys[1]}&labels=none:original&threshold=2&queries=all&decide=tukey"
        "&missing=queries&measures=C%405+AP&direction=forward&team=Blue&tag=&more=1"
    )
    query = room_query(address)
    assert query == (
        f"?direction=forward&run={keys[0]}&run={keys[1]}&team=Blue&labels=none:original"
        "&threshold=2&queries=all&decide=tukey&missing=queries&measure=C@5%20AP"
    )
    board = read_choices(collection=study, viewer=None, parameters=address)
    room = read_shared_choices(
        collection=study, viewer=None, parameters=QueryDict(query.removeprefix("?"))
    )
    assert (board.errors, room.errors, room.team) == ([], [], "Blue")
    assert replace(room.scores.spec, measures=board.spec.measures) == board.spec
    assert (tuple(room.measures), room.scores.runs) == (board.spec.measures, board.runs)


def test_a_leaderboard_without_choices_leads_to_the_room_without_any():
    assert room_query(QueryDict("")) == room_query(QueryDict("labels=&threshold=&run=")) == ""
    # the form of a leaderboard sends the usual measures, of which nobody need have chosen one
    assert room_query(QueryDict(urlencode({"measures": " ".join(DEFAULT_MEASURES)}))) == ""
    assert room_query(QueryDict("measures=++AP+"), protocol="") == "?measure=AP"


def test_a_protocol_goes_along_or_stands_in_place_of_what_it_fixes():
    assert room_query(QueryDict("protocol=cxc&run=3")) == "?run=3&protocol=cxc"
    address = QueryDict("protocol=cxc&run=3&labels=only&measures=AP&people=first&threshold=1")
    assert room_query(address, protocol="coco-1k") == "?run=3&protocol=coco-1k"


def test_choices_that_the_room_lacks_stay_behind_and_that_is_told(study):
    address = QueryDict("people=first&subset=judged&words_from=3&words_to=9&target=these&run=")
    assert room_query(address) == ""
    assert room_sentence(address, beginning="The analyses take") == (
        "The analyses take people's labels as resolved, all queries of a set, queries of any "
        "length and intervals of other queries like these, whatever is chosen here."
    )
    assert room_sentence(QueryDict("words_to=9"), beginning="This figure takes") == (
        "This figure takes queries of any length, whatever is chosen here."
    )
    assert room_sentence(QueryDict("people=&labels=only"), beginning="This takes") == ""
    assert {*ALWAYS_IN_ROOM}.isdisjoint(PARAMETERS)


def test_choices_of_other_pages_are_none_here(study):
    for name in ("people", "subset", "words_from", "target", "bogus"):
        assert (
            chosen(study, **{name: "judged"})
            .errors[0]
            .startswith(f'"{name}" is no choice here; there are: direction, run, name,')
        )


def test_other_peoples_hidden_runs_are_no_choice(study):
    mine, other = (cast.member(study, Role.RESEARCHER) for _ in range(2))
    Run.objects.filter(name="alpha").update(is_hidden=True, uploaded_by=mine)
    assert names(chosen(study, viewer=mine)) == ["alpha", "beta"]
    assert names(chosen(study, viewer=other)) == ["beta"]
    key = Run.objects.get(name="alpha").pk
    assert chosen(study, viewer=other, run=key).errors


def test_only_choices_that_change_an_analysis_change_its_key(study):
    analysis = ANALYSES["positives-per-query"]
    assert Choice.RUNS not in analysis.choices
    key = Run.objects.get(name="beta").pk
    usual = analysis.spec(chosen(study))
    assert analysis.spec(chosen(study, run=key, measure="AP")) == usual
    for change in ({"labels": "only"}, {"threshold": 2}, {"direction": "reverse"}):
        assert analysis.spec(chosen(study, **change)).key != usual.key
    analysis = ANALYSES["hits-by-length"]
    assert analysis.spec(chosen(study, run=key)).key != analysis.spec(chosen(study)).key
    assert analysis.spec(chosen(study, mark="Blue")) == analysis.spec(chosen(study))
    marked = ANALYSES["differences"].spec(chosen(study, mark="Blue"))
    assert marked.key != ANALYSES["differences"].spec(chosen(study)).key
    assert analysis.spec(chosen(study)).scores.measures == ("C@5",)
    assert analysis.spec(chosen(study, measure="C@1")).scores.measures == ("C@1",)


def test_a_direction_changes_nothing_of_pairs(study):
    of_pairs = {name for name, analysis in ANALYSES.items() if analysis.of_pairs}
    assert {"labels-by-pool", "people-as-systems", "duplicates"} <= of_pairs
    for name, analysis in ANALYSES.items():
        forward, reverse = (
            analysis.spec(chosen(study, direction=direction))
            for direction in ("forward", "reverse")
        )
        assert (forward == reverse) == (name in of_pairs), name


def test_a_spec_is_the_same_after_json(study):
    for analysis in ANALYSES.values():
        spec = analysis.spec(chosen(study, mark="Blue"))
        assert AnalysisSpec.from_json(spec.as_json()) == spec
