"""Two who change one thing at the same time: what each leaves out stays as the other made it."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import transaction
from django.test import Client

from annotate.models import ApiToken, Collection
from pooling.models import Run
from pooling.services.runs import descriptions
from tests import cast
from tests.servers.database_sessions import waiting_session
from tests.servers.databases import closing_connections

pytestmark = pytest.mark.django_db(transaction=True)
LEVELS = [{"grade": grade, "name": f"New {grade}"} for grade in (2, 1, 0)]


@closing_connections
def send(method, url, fields, headers):
    answer = getattr(Client(), method)(
        url, fields, content_type="application/json", headers=headers
    )
    return answer.status_code


def at_once(row, change, *request):
    """The status of a request that comes while a change of the row is not yet stored."""
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            type(row).objects.select_for_update(no_key=True).get(pk=row.pk)
            change()
            answer = pool.submit(send, *request)
            waiting_session(unless=answer.done)
        return answer.result()


def test_of_a_run_only_the_given_fields_change(collection, researcher):
    run = cast.run(collection, "plain", {})
    old = descriptions.description_of(run)

    def rename_team():
        new = old._replace(team="Blue")
        descriptions.describe_run(run=Run.objects.get(pk=run.pk), description=new, by=researcher)

    headers = cast.bearer(researcher, ApiToken.Scope.RUNS_WRITE)
    url = f"/api/v1/collections/shapes/runs/{run.pk}/"
    assert at_once(run, rename_team, "patch", url, {"system": "S"}, headers) == 200
    run.refresh_from_db()
    assert (run.team, run.system) == ("Blue", "S")


@pytest.mark.parametrize(
    ("method", "address", "fields"),
    [
        ("post", "guidelines", {"markdown": "New."}),
        ("put", "scheme", {"positive_from": 1, "levels": LEVELS}),
    ],
)
def test_of_the_levels_only_the_given_words_change(collection, lead, method, address, fields):
    def rename():
        collection.levels.filter(grade=1).update(sentence="Half of it.")

    headers = cast.bearer(lead, ApiToken.Scope.COLLECTIONS_WRITE)
    url = f"/api/v1/collections/shapes/{address}/"
    row = Collection.objects.get(pk=collection.pk)
    assert at_once(row, rename, method, url, fields, headers) in {200, 201}
    assert collection.levels.get(grade=1).sentence == "Half of it."


def licence_request(lead):
    """The address of a collection, a token for it, and the tag of what it is now."""
    url = "/api/v1/collections/shapes/"
    scopes = (ApiToken.Scope.NUMBERS_READ, ApiToken.Scope.COLLECTIONS_WRITE)
    headers = cast.bearer(lead, *scopes)
    return url, headers, Client().get(url, headers=headers)["ETag"]


def test_a_change_of_what_was_read_is_refused_once_it_is_another(client, collection, lead):
    url, headers, tag = licence_request(lead)

    def patch(licence, tag):
        return client.patch(
            url,
            {"licence": licence},
            content_type="application/json",
            headers=headers | {"If-Match": tag},
        )

    assert patch("CC0-1.0", tag).status_code == 200
    answer = patch("MIT", tag)
    assert (answer.status_code, answer["Content-Type"]) == (412, "application/problem+json")
    assert answer.json()["detail"].startswith("This has changed since you read it")
    assert patch("MIT", "no tag").status_code == 412
    collection.refresh_from_db()
    assert collection.licence == "CC0-1.0"
    assert patch("MIT", f'"other", {client.get(url, headers=headers)["ETag"]}').status_code == 200
    assert patch("CC-BY-4.0", "*").status_code == 200


def test_of_two_changes_at_once_of_what_both_read_one_is_refused(collection, lead):
    url, headers, tag = licence_request(lead)
    headers = headers | {"If-Match": tag}
    with ThreadPoolExecutor(2) as pool:
        answers = [
            pool.submit(send, "patch", url, {"licence": licence}, headers)
            for licence in ("CC0-1.0", "MIT")
        ]
        statuses = sorted(answer.result() for answer in answers)
    assert statuses == [200, 412]
