"""Protocols on the leaderboard and in the analysis room: one click, and a line that names them."""

from html import unescape

import pytest

from annotate.models import ApiToken, ReferenceSet, Role
from metrics.services.leaderboard.choices.parameters import read_choices
from tests import cast
from tests.metrics.management.commands.running import manage
from tests.metrics.services.analysis.questions import compute_kept, table_of
from tests.metrics.services.leaderboard import boards
from tests.metrics.services.leaderboard.choices.protocol_study import protocol_study
from tests.pages import text_of

pytestmark = pytest.mark.django_db(transaction=True)
LEADERBOARD = "/c/coco/results/leaderboard/"
ROOM = "/c/coco/results/analysis/measures/"
COCO = (
    "Protocol COCO 5K, of ECCV Caption (Chun et al. 2022), Tables 4, D.2 and D.3: C@1, C@5 and "
    "C@10 with reference “original” alone, positive from grade 1, on the query sets “all” of both "
    "directions."
)


@pytest.fixture
def study(client):
    collection = protocol_study()
    client.force_login(cast.member(collection, Role.RESEARCHER))
    return collection


def test_the_leaderboard_leads_to_each_protocol_and_names_the_chosen_one(client, study):
    page = unescape(client.get(LEADERBOARD).content.decode())
    assert f'href="{ROOM}folds/?protocol=coco-1k">COCO 1K (5 folds)</a>' in page
    for name, title in (("coco-5k", "COCO 5K"), ("cxc", "CxC"), ("eccv-caption", "ECCV Caption")):
        assert f'href="?protocol={name}">{title}</a>' in page
    assert "Protocol COCO" not in page
    spec = read_choices(collection=study, viewer=None, parameters={"protocol": "coco-5k"}).spec
    boards.compute(collection=study, spec=spec)
    page = text_of(client.get(LEADERBOARD, {"protocol": "coco-5k"}))
    assert COCO in page
    assert (
        "Published numbers are over 5,000 and 25,000 queries of the two directions, these over 10 "
        "and 20." in page
    )
    assert "Scores with reference “original” alone." in page
    assert page.index("C@1") < page.index("C@5") < page.index("C@10")
    # by hand they are the same choices
    by_hand = {"labels": "none:original", "measures": "C@1 C@5 C@10"}
    assert COCO in text_of(client.get(LEADERBOARD, by_hand))


def test_the_leaderboard_leads_to_the_room_with_its_choices(client, study):
    page = unescape(client.get(LEADERBOARD).content.decode())
    row = f'<a href="{ROOM}protocols/'
    assert f'{row}">All in one table, both' in page and "directions, RSUM</a>" in page
    assert '<a class="button" href="/c/coco/results/analysis/">Analyses</a>' in " ".join(
        page.replace("<a\n", "<a ").split()
    )
    key = study.runs.get(name="a1").pk
    answer = client.get(LEADERBOARD, {"run": key, "labels": "none:CxC", "measures": "C@1"})
    page = unescape(answer.content.decode())
    query = f"?run={key}&labels=none:CxC&measure=C@1"
    assert f'{row}{query}">All in one table' in page
    assert f'"/c/coco/results/analysis/{query}">Analyses</a>' in page
    assert f'"{ROOM}folds/?run={key}&protocol=coco-1k">COCO 1K (5 folds)</a>' in page
    assert "The analyses take" not in page
    for path in (f"{ROOM}protocols/", "/c/coco/results/analysis/"):
        answer = client.get(f"{path}{query}")
        assert answer.status_code == 200 and "Cannot be shown." not in text_of(answer)


def test_the_leaderboard_fetches_both_directions_and_the_protocols_with_its_choices(client, study):
    page = unescape(client.get(LEADERBOARD, {"labels": "none:CxC"}).content.decode())
    for name in ("both-directions", "protocols"):
        assert f'hx-get="{ROOM}{name}/state/?labels=none:CxC"' in page
    ReferenceSet.objects.all().delete()
    page = client.get(LEADERBOARD).content.decode()
    assert f"{ROOM}both-directions/state/" in page and f"{ROOM}protocols/state/" not in page
    study.runs.filter(name="a2").update(team="another team")
    study.runs.filter(name="b2").update(system="")
    assert f"{ROOM}both-directions/state/" not in client.get(LEADERBOARD).content.decode()


def test_what_the_room_lacks_is_told_on_the_leaderboard(client, study):
    page = text_of(client.get(LEADERBOARD, {"subset": "judged", "protocol": ""}))
    assert "The analyses take all queries of a set, whatever is chosen here." in page
    # beside each of the two figures too, which stand far below
    assert page.count("This figure takes all queries of a set, whatever is chosen here.") == 2
    assert "This figure takes" not in text_of(client.get(LEADERBOARD))


def test_a_leaderboard_without_recalls_at_three_depths_promises_no_rsum(client, study):
    ReferenceSet.objects.filter(name="original").update(name="mine")
    page = unescape(client.get(LEADERBOARD).content.decode())
    assert "directions</a>" in page and "RSUM" not in page
    ReferenceSet.objects.all().delete()
    assert "All in one table" not in client.get(LEADERBOARD).content.decode()


def test_a_link_keeps_the_runs_and_leaves_what_the_protocol_fixes_out(client, study):
    key = study.runs.get(name="a1").pk
    parameters = {"run": key, "labels": "only", "threshold": "1", "measures": "AP"}
    page = unescape(client.get(LEADERBOARD, parameters).content.decode())
    assert f'href="?run={key}&protocol=cxc">CxC</a>' in page


def test_contradictions_are_told_with_the_page(client, study):
    answer = client.get(LEADERBOARD, {"protocol": "cxc", "measures": "AP"})
    assert answer.status_code == 422
    assert "The protocol CxC has the measures C@1; AP is not among them." in text_of(answer)
    answer = client.get(f"{LEADERBOARD}table.csv", {"protocol": "coco-1k"})
    assert answer.status_code == 422


def test_the_room_names_the_protocol_and_leads_to_the_others(client, study):
    compute_kept(study, "folds", protocol="coco-1k")
    page = unescape(client.get(f"{ROOM}folds/", {"protocol": "coco-1k"}).content.decode())
    assert "5 folds of both directions, “1k fold 1” the first of them." in text_of(
        client.get(f"{ROOM}folds/", {"protocol": "coco-1k"})
    )
    assert "Only the analysis “folds” averages over these folds" in page
    assert 'href="?protocol=cxc">CxC</a>' in page
    # the address of the analysis holds all choices by themselves, and is of the same protocol
    query = (
        "direction=forward&labels=none:original&threshold=1&queries=1k%20fold%201"
        "&measure=C@1%20C@5%20C@10"
    )
    assert f"{ROOM}folds/?{query}" in page
    assert "Protocol COCO 1K" in text_of(client.get(f"{ROOM}folds/?{query}"))


def test_programs_and_commands_name_a_protocol(client, study):
    person = cast.member(study, Role.RESEARCHER)
    headers = cast.bearer(person, ApiToken.Scope.NUMBERS_READ, collection=study)
    compute_kept(study, "both-directions", protocol="cxc")
    path = "/api/v1/collections/coco/analyses/both-directions/"
    value = client.get(f"{path}?protocol=cxc", headers=headers).json()
    assert (value["protocol"], value["label_source"], value["measures"]) == (
        "cxc",
        "none:CxC",
        ["C@1"],
    )
    answer = client.get(f"{path}?protocol=cxc&threshold=1&label_source=only", headers=headers)
    assert answer.status_code == 422 and "fixes labels at none:CxC" in answer.json()["detail"]
    lines = manage(
        "analyse", "both-directions", "--collection", "coco", "--protocol", "cxc", "--csv"
    ).stdout.splitlines()
    row = table_of(study, "both-directions", protocol="cxc")[0]
    assert lines[0].startswith("system,C@1_forward") and repr(row["C@1_forward"]) in lines[1]
