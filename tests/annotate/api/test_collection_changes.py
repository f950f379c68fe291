"""Collections made, changed and deleted by programs, as the pages do it."""

import json

import pytest
from django.urls import reverse

from annotate import tasks
from annotate.models import ApiToken, Change, Collection, ReviewAction, Role
from tests import campaigns, cast

pytestmark = pytest.mark.django_db
COLLECTIONS = "/api/v1/collections/"
SCOPES = (ApiToken.Scope.NUMBERS_READ, ApiToken.Scope.COLLECTIONS_WRITE)
LEVELS = [
    {"grade": 10, "name": "Yes", "key": "2", "colour": "green", "sentence": "It shows it."},
    {"grade": 1, "name": "Partly", "reasons": ["colour", {"name": "kind", "what": ["plant"]}]},
    {"grade": 0, "name": "No"},
]
NEW = {"slug": "birds", "name": "Birds", "positive_from": 10, "levels": LEVELS}


@pytest.fixture
def headers(lead):
    return cast.bearer(lead, *SCOPES)


def send(client, method, url, headers, body):
    body = body if isinstance(body, str) else json.dumps(body)
    request = getattr(client, method)
    return request(url, body, content_type="application/json", headers=headers)


def make(client, headers, **fields):
    return send(client, "post", COLLECTIONS, headers, {**NEW, **fields})


def change(client, headers, collection, **fields):
    return send(client, "patch", f"{COLLECTIONS}{collection.slug}/", headers, fields)


def fault(answer):
    """The one fault of a refusal: its field and its message."""
    assert answer.status_code == 422, answer.content
    ((field, message),) = [tuple(error.values()) for error in answer.json()["errors"]]
    return field, message


def test_a_collection_is_made_and_its_maker_leads_it(client, lead, headers):
    answer = make(
        client, headers, description="Of\nbirds", guidelines="# Look", measurement="ratio"
    )
    assert (answer.status_code, answer["Location"]) == (201, f"{COLLECTIONS}birds/")
    facts = answer.json()
    assert facts == client.get(f"{COLLECTIONS}birds/", headers=headers).json()
    assert [(row["grade"], row["key"], row["colour"]) for row in facts["levels"]] == [
        (10, "2", "green"),
        (1, "1", "amber"),
        (0, "0", "slate"),
    ]
    assert facts["levels"][1]["reasons"] == LEVELS[1]["reasons"]
    assert (facts["positive_from"], facts["measurement"]) == (10, "ratio")
    collection = Collection.objects.get(slug="birds")
    assert (collection.description, collection.created_by) == ("Of\nbirds", lead)
    assert collection.guidelines.get().markdown == "# Look"
    roles = collection.memberships.filter(user=lead).values_list("role", flat=True)
    assert sorted(roles) == ["lead", "researcher"]


def test_the_page_makes_the_same_collection(client, lead, headers):
    client.force_login(lead)
    page_fields = {
        "name": "Birds",
        "slug": "page",
        "measurement": "ordinal",
        "positive_from": 1,
        "levels-TOTAL_FORMS": 2,
        "levels-INITIAL_FORMS": 2,
        "levels-0-grade": 1,
        "levels-0-name": "Yes",
        "levels-1-grade": 0,
        "levels-1-name": "No",
    }
    assert client.post(reverse("annotate:collection-new"), page_fields).status_code == 302
    levels = [{"grade": 1, "name": "Yes"}, {"grade": 0, "name": "No"}]
    make(client, headers, slug="program", positive_from=1, levels=levels)
    of_page, of_program = (
        client.get(f"{COLLECTIONS}{slug}/", headers=headers).json() for slug in ("page", "program")
    )
    for facts in (of_page, of_program):
        for name in ("url", "slug", "created_at"):
            del facts[name]
        del facts["policy"]["at"]
    assert of_page == of_program


def test_a_request_that_is_sent_twice_makes_one_collection(client, headers):
    twice = [make(client, headers | {"Idempotency-Key": "birds"}) for _ in range(2)]
    assert [answer.status_code for answer in twice] == [201, 201]
    assert twice[0].json() == twice[1].json() and twice[1]["Idempotency-Replayed"] == "true"
    assert twice[1]["Location"] == f"{COLLECTIONS}birds/"
    assert fault(make(client, headers))[0] == "slug"


@pytest.mark.parametrize(
    ("fields", "field", "says"),
    [
        ({"slug": "a b"}, "slug", "slug"),
        ({"slug": "s" * 61}, "slug", "no more than 60"),
        ({"name": ""}, "name", "blank"),
        ({"name": "a\0"}, "name", "Null characters"),
        ({"description": "x" * 2001}, "description", "2000"),
        ({"measurement": "metric"}, "measurement", "no valid choice|not a valid choice"),
        ({"positive_from": 2**40}, "positive_from", "100"),
        ({"positive_from": 0}, "positive_from", "above the lowest"),
        ({"levels": LEVELS[:1]}, "levels", "2 to 7 levels, this one has 1"),
        ({"levels": [*LEVELS, {"grade": 1, "name": "x"}]}, "levels", "same grade"),
        ({"levels": [*LEVELS, {"grade": 11, "name": "x"}]}, "levels", "same key"),
        ({"levels": [*LEVELS, {"grade": 2**40, "name": "x"}]}, "levels.3.grade", "100"),
        ({"levels": [*LEVELS, {"grade": 5, "name": "x", "key": "x"}]}, "levels.3.key", "digit"),
        ({"levels": [*LEVELS, {"grade": 5}]}, "levels.3.name", "required"),
        ({"levels": [*LEVELS, {"grade": 5, "name": "x", "n": 1}]}, "levels.3.n", "no such field"),
        ({"levels": "none"}, "levels", "list"),
        ({"file": "items"}, "file", "no such field"),
    ],
)
def test_what_cannot_be_a_collection_is_refused_with_its_place(
    client, headers, fields, field, says
):
    place, message = fault(make(client, headers, **fields))
    assert place == field
    assert any(part in message for part in says.split("|")), message
    assert not Collection.objects.filter(name="Birds").exists()


@pytest.mark.parametrize(
    "reasons",
    [
        "colour",
        [None],
        ["a;b"],
        ["a\0"],
        ["x" * 41],
        ["same", "same"],
        [f"r{number}" for number in range(9)],
        [{"name": "kind"}],
        [{"name": "kind", "what": "plant"}],
        [{"name": "kind", "what": ["a/b"]}],
        [["colour"]],
    ],
)
def test_reasons_that_cannot_be_offered_are_refused(client, headers, reasons):
    levels = [{"grade": 1, "name": "Yes", "reasons": reasons}, {"grade": 0, "name": "No"}]
    answer = make(client, headers, positive_from=1, levels=levels)
    assert fault(answer)[0] == "levels.0.reasons"


@pytest.mark.parametrize(
    "body",
    [
        r'{"slug": "birds", "name": "\ud800", "levels": []}',
        r'{"slug": "birds", "name": "b", "levels": [], "measurement": "\ud800"}',
        r'{"slug": "birds", "name": "b", "levels": [], "\ud800": 1}',
        r'{"slug": "b", "name": "b", "levels": [{"grade": 1, "name": "b", "reasons": ["\ud800"]}]}',
        "[]",
        "{",
    ],
)
def test_what_is_no_text_or_no_object_is_refused(client, headers, body):
    answer = send(client, "post", COLLECTIONS, headers, body)
    assert answer.status_code in {400, 422}
    assert answer.json()["title"]


def test_who_leads_nothing_makes_no_collection_and_neither_does_a_token_for_one(
    client, collection, lead, headers
):
    annotator = cast.member(collection, Role.ANNOTATOR)
    assert make(client, cast.bearer(annotator, *SCOPES)).status_code == 404
    assert make(client, cast.bearer(cast.user(), *SCOPES)).status_code == 404
    assert make(client, cast.bearer(lead, ApiToken.Scope.NUMBERS_READ)).status_code == 403
    bound = make(client, cast.bearer(lead, *SCOPES, collection=collection))
    assert (bound.status_code, "for one collection" in bound.json()["detail"]) == (403, True)
    assert not Collection.objects.filter(slug="birds").exists()


def test_settings_change_together(client, collection, headers):
    creators = [
        {"name": "Ada Lovelace", "affiliation": "", "orcid": "0000-0002-1825-0097"},
        {"name": "Mary Somerville", "affiliation": "Oxford", "orcid": ""},
    ]
    fields = {
        "hourly_pay": 12.5,
        "currency": "CHF",
        "query_groups": "column",
        "tentative_alpha": 0.7,
        "firm_alpha": 0.85,
        "licence": "cc0-1.0",
        "creators": creators,
        "cite_as": "Lovelace, 1843",
        "texts_may_leave": True,
    }
    answer = change(client, headers, collection, **fields)
    facts = client.get(f"{COLLECTIONS}{collection.slug}/", headers=headers).json()
    assert (answer.status_code, answer.json()) == (200, facts)
    assert {name: facts[name] for name in fields} == fields | {"licence": "CC0-1.0"}
    assert Change.objects.filter(collection=collection, pair=None).exists()
    assert change(client, headers, collection, licence="LicenseRef-Ours").status_code == 200
    facts = change(client, headers, collection, hourly_pay=None).json()
    expected = fields | {"licence": "LicenseRef-Ours", "hourly_pay": None}
    assert {name: facts[name] for name in fields} == expected


def test_no_setting_changes_where_one_is_refused(client, collection, headers):
    before = Collection.objects.values().get()
    for fields, field in (
        ({"licence": "no licence"}, "licence"),
        ({"creators": [{"name": "A", "orcid": "0000-0002-1825-0098"}]}, "creators"),
        ({"creators": ["Me"]}, "creators.0"),
        ({"creators": [{"name": "A; B"}]}, "creators.0.name"),
        ({"creators": [{"name": "A\u2028B"}]}, "creators.0.name"),
        ({"creators": [{"affiliation": "A"}]}, "creators.0.name"),
        ({"query_groups": "some"}, "query_groups"),
        ({"hourly_pay": -1}, "hourly_pay"),
        ({"hourly_pay": "12.5"}, "hourly_pay"),
        ({"hourly_pay": " "}, "hourly_pay"),
        ({"hourly_pay": 1e9}, "hourly_pay"),
        ({"firm_alpha": 0.6}, "firm_alpha"),
        ({"firm_alpha": 1.001}, "firm_alpha"),
        ({"firm_alpha": None}, "firm_alpha"),
        ({"tentative_alpha": 0}, "tentative_alpha"),
        ({"tentative_alpha": "nan"}, "tentative_alpha"),
        ({"tentative_alpha": "0.7"}, "tentative_alpha"),
        ({"is_archived": None}, "is_archived"),
        ({"cite_as": "a\0"}, "cite_as"),
        ({"texts_may_leave": None}, "texts_may_leave"),
        ({"name": "Other"}, "name"),
        ({"positive_from": 1}, "positive_from"),
    ):
        answer = change(client, headers, collection, **{"currency": "CHF", **fields})
        assert fault(answer)[0] == field
    assert Collection.objects.values().get() == before
    assert not Change.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_what_is_left_out_of_a_change_stays(client, collection, headers):
    fields = {"licence": "MIT", "cite_as": "A", "media_may_leave": True, "hourly_pay": 3}
    change(client, headers, collection, **fields)
    before = Collection.objects.values().get()
    assert change(client, headers, collection, texts_may_leave=True).status_code == 200
    assert Collection.objects.values().get() == before | {"texts_may_leave": True}


def test_settings_are_changed_by_leads_with_the_scope_alone(client, collection, researcher, lead):
    for person, scopes, status in (
        (researcher, SCOPES, 403),
        (cast.member(collection, Role.ANNOTATOR), SCOPES, 403),
        (lead, SCOPES[:1], 403),
        (lead, SCOPES, 200),
    ):
        answer = change(client, cast.bearer(person, *scopes), collection, currency="CHF")
        assert answer.status_code == status
    elsewhere = cast.bearer(lead, *SCOPES, collection=cast.collection("other"))
    assert change(client, elsewhere, collection, currency="EUR").status_code == 404


def test_a_collection_is_archived_and_unarchived_with_an_entry_in_the_log(
    client, collection, lead, headers
):
    for _ in range(2):
        assert change(client, headers, collection, is_archived=True).json()["archived_at"]
    assert change(client, headers, collection, currency="CHF").json()["archived_at"]
    for _ in range(2):
        assert change(client, headers, collection, is_archived=False).json()["archived_at"] is None
    kinds = list(ReviewAction.objects.order_by("pk").values_list("kind", "by"))
    assert kinds == [("collection_archived", lead.pk), ("collection_restored", lead.pk)]


def test_a_collection_is_deleted_by_its_name(
    client, collection, lead, headers, django_capture_on_commit_callbacks
):
    url = f"{COLLECTIONS}{collection.slug}/"
    for query in ("", "?confirm=other"):
        assert fault(client.delete(f"{url}{query}", headers=headers))[0] == "confirm"
    unknown = client.delete(f"{url}?confirm={collection.slug}&force=1", headers=headers)
    assert unknown.status_code == 422
    with django_capture_on_commit_callbacks() as callbacks:
        answer = client.delete(f"{url}?confirm={collection.slug}", headers=headers)
    assert (answer.status_code, answer["Location"]) == (202, url)
    assert answer.json() == {"url": url, "state": "deleting"}
    assert len(callbacks) == 1
    tasks.delete_unjudged(collection_id=collection.pk, by_id=lead.pk)
    assert client.get(url, headers=headers).status_code == 404


def test_a_collection_with_answers_stays(client, django_capture_on_commit_callbacks):
    campaign = campaigns.campaign("made")
    headers = cast.bearer(campaign.lead, *SCOPES)
    with django_capture_on_commit_callbacks() as callbacks:
        answer = client.delete(f"{COLLECTIONS}made/?confirm=made", headers=headers)
    assert (answer.status_code, callbacks) == (422, [])
    assert "People have answered in" in answer.json()["detail"]
    researcher = cast.bearer(campaign.researcher, *SCOPES)
    answer = client.delete(f"{COLLECTIONS}made/?confirm=made", headers=researcher)
    assert answer.status_code == 403
