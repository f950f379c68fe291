"""The scheme for programs: words change always, levels until the first judgment."""

import threading

import pytest
from django.db import connection, transaction

from annotate.models import ApiToken, Change, Collection, Gold, Pair, Role, TrainingPair
from tests import campaigns, cast

pytestmark = pytest.mark.django_db
SCOPES = (ApiToken.Scope.NUMBERS_READ, ApiToken.Scope.COLLECTIONS_WRITE)
SCHEME = "/api/v1/collections/shapes/scheme/"
MORE = [{"grade": grade, "name": f"New {grade}"} for grade in range(4)]


@pytest.fixture
def collection():
    return cast.collection("shapes")


@pytest.fixture
def headers(lead):
    return cast.bearer(lead, *SCOPES)


def put(client, headers, levels, positive_from=1, **fields):
    body = {"levels": levels, "positive_from": positive_from, **fields}
    return client.put(SCHEME, body, content_type="application/json", headers=headers)


def read(client, headers):
    return client.get(SCHEME, headers=headers).json()


def test_the_scheme_is_read_and_sent_back_without_a_change(client, collection, headers):
    scheme = read(client, headers)
    assert (scheme["positive_from"], scheme["frozen_at"]) == (1, None)
    assert [row["grade"] for row in scheme["levels"]] == [1, 0]
    answer = put(client, headers, scheme["levels"])
    assert (answer.status_code, answer.json()) == (200, scheme | {"guidelines_version": 2})
    answer = put(client, headers, scheme["levels"])  # the first one wrote the words down
    assert answer.json()["guidelines_version"] == 2


def test_levels_are_replaced_while_nothing_is_judged(client, collection, headers, lead):
    answer = put(client, headers, MORE, positive_from=2)
    assert (answer.status_code, answer.json()) == (200, read(client, headers))
    assert [row["name"] for row in answer.json()["levels"]] == [f"New {n}" for n in (3, 2, 1, 0)]
    assert Collection.objects.get().positive_from == 2
    version = collection.guidelines.latest("version")
    assert (version.version, version.by, version.markdown) == (2, lead, "# How to judge")
    assert version.wording[0]["name"] == "New 3"
    assert Change.objects.filter(pair=None).exists()  # scores are computed anew


def test_a_level_keeps_what_is_left_out(client, collection, headers):
    first = {"grade": 1, "name": "Yes", "key": "7", "colour": "teal", "sentence": "S"}
    put(client, headers, [first | {"reasons": ["colour"]}, {"grade": 0, "name": "No"}])
    put(client, headers, [{"grade": 1, "name": "Right"}, {"grade": 0, "name": "No"}])
    expected = first | {"name": "Right", "reasons": ["colour"]}
    assert read(client, headers)["levels"][0] == expected


def test_a_level_that_is_sent_with_another_grade_keeps_its_colour(client, collection, headers):
    yes = {"grade": 1, "name": "Yes", "colour": "violet"}
    put(client, headers, [yes, {"grade": 0, "name": "No"}])
    rows = [{"grade": 2, "name": "Yes"}, {"grade": 1, "name": "Partly"}, {"grade": 0, "name": "No"}]
    put(client, headers, rows)
    levels = {row["name"]: row["colour"] for row in read(client, headers)["levels"]}
    assert levels == {"Yes": "violet", "Partly": "green", "No": "slate"}


def test_once_judged_words_and_colours_change_and_nothing_else(client, headers, collection):
    cast.pairs(collection, 1)
    campaigns.open_pool_round(collection, list(Pair.objects.all()))
    campaigns.judge_batch(cast.annotator(collection), limit=1)
    scheme = read(client, headers)
    assert scheme["frozen_at"].endswith("Z")
    first, second = scheme["levels"]
    for levels, positive_from in (
        (MORE, 1),
        ([first | {"key": "9"}, second], 1),
        ([first | {"grade": 2}, second], 2),
    ):
        answer = put(client, headers, levels, positive_from)
        assert answer.status_code == 422
        sentence = "The levels have been used; only their wording and colours may change."
        assert answer.json()["errors"] == [{"field": "levels", "message": sentence}]
    assert read(client, headers) == scheme
    words = {"name": "Yes", "sentence": "It shows it.", "reasons": ["colour"], "colour": "red"}
    answer = put(client, headers, [first | words, second])
    assert answer.json()["levels"] == [first | words, second]
    assert answer.json()["guidelines_version"] == scheme["guidelines_version"] + 1


@pytest.mark.django_db(transaction=True)
def test_a_level_of_an_answer_that_is_being_stored_is_not_waited_for(client, collection, headers):
    level, answer = collection.levels.first(), []
    with transaction.atomic(), connection.cursor() as cursor:
        # as the row of a judgment locks it
        cursor.execute("SELECT FROM annotate_level WHERE id = %s FOR KEY SHARE", [level.pk])
        program = threading.Thread(target=lambda: answer.append(put_apart(client, headers)))
        program.start()
        program.join(timeout=60)
    assert [response.status_code for response in answer] == [422]
    assert collection.levels.count() == 2
    assert put(client, headers, MORE).status_code == 200


def put_apart(client, headers):
    """Send another scheme by a connection of its own."""
    try:
        return put(client, headers, MORE)
    finally:
        connection.close()


def test_a_grade_that_labels_have_stays(client, collection, headers):
    (query,), (document,) = (cast.items(collection, side, 1) for side in ("query", "document"))
    cast.reference(collection, {(query.external_id, document.external_id): 0})
    levels = [{"grade": 1, "name": "Yes"}, {"grade": 2, "name": "More"}]
    answer = put(client, headers, levels, positive_from=2)
    assert (answer.status_code, "Grade 0 stays" in answer.json()["detail"]) == (422, True)
    pair = Pair.objects.create(collection=collection, query=query, document=document)
    gold = Gold.objects.create(
        collection=collection, pair=pair, grade=1, is_positive=True, origin=Gold.Origin.CURATED
    )
    levels = [{"grade": 0, "name": "No"}, {"grade": 2, "name": "More"}]
    answer = put(client, headers, levels, positive_from=2)
    assert "there are golds with this grade" in answer.json()["detail"]
    assert [row["grade"] for row in read(client, headers)["levels"]] == [1, 0]
    assert put(client, headers, MORE, positive_from=2).status_code == 200
    gold.refresh_from_db()
    assert not gold.is_positive
    pair = TrainingPair.objects.create(pair=pair, grade=3)
    assert "pairs of the training" in put(client, headers, MORE[:3]).json()["detail"]


def test_levels_that_are_no_scheme_are_refused(client, collection, headers):
    scheme = read(client, headers)
    for levels, positive_from, field in (
        (MORE[:1], 1, "levels"),
        (MORE, 0, "positive_from"),
        (MORE, 2**40, "positive_from"),
        ([*MORE, {"grade": 2, "name": "x"}], 1, "levels"),
        ([*MORE, {"grade": 4, "name": "a\0"}], 1, "levels.4.name"),
        ([*MORE, {"grade": 4, "name": "a", "colour": "pink"}], 1, "levels.4.colour"),
        (MORE * 20, 1, "levels"),
    ):
        answer = put(client, headers, levels, positive_from)
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, field)
    assert put(client, headers, MORE, measurement="ratio").status_code == 422
    assert read(client, headers) == scheme


def test_researchers_read_the_scheme_and_leads_change_it(client, collection, lead):
    researcher = cast.bearer(cast.member(collection, Role.RESEARCHER), *SCOPES)
    assert client.get(SCHEME, headers=researcher).status_code == 200
    assert put(client, researcher, MORE).status_code == 403
    annotator = cast.bearer(cast.member(collection, Role.ANNOTATOR), *SCOPES)
    assert client.get(SCHEME, headers=annotator).status_code == 403
    reader = cast.bearer(lead, ApiToken.Scope.NUMBERS_READ)
    assert put(client, reader, MORE).status_code == 403
    elsewhere = cast.bearer(lead, *SCOPES, collection=cast.collection("other"))
    assert client.get(SCHEME, headers=elsewhere).status_code == 404
    assert put(client, elsewhere, MORE).status_code == 404
