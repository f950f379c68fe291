"""The frame of all endpoints: tags and pace of the first address, parameters that are none."""

import pytest

from annotate.models import ApiToken, Role
from tests import cast

pytestmark = pytest.mark.django_db
LISTS = (
    "",
    "shapes/guidelines/versions/",
    "shapes/policy/versions/",
    "shapes/judgments/",
    "shapes/analyses/",
    "shapes/releases/",
)


@pytest.mark.parametrize("address", ["/api/v1/", "/api/v1/no/such/thing"])
def test_the_version_and_addresses_that_are_none_tell_the_pace(client, lead, address):
    answer = client.get(address, headers=cast.bearer(lead))
    assert int(answer["RateLimit-Remaining"]) < int(answer["RateLimit-Limit"])


def test_the_version_has_a_tag(client, lead):
    headers = cast.bearer(lead)
    tag = client.get("/api/v1/", headers=headers)["ETag"]
    assert client.get("/api/v1/", headers=headers | {"If-None-Match": tag}).status_code == 304


@pytest.mark.parametrize("address", LISTS)
def test_a_list_tells_of_a_parameter_that_it_does_not_have(client, collection, lead, address):
    headers = cast.bearer(lead, *ApiToken.Scope.values)
    answer = client.get(f"/api/v1/collections/{address}?colour=red", headers=headers)
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith('"colour" is no parameter; there are ')
    assert client.get(f"/api/v1/collections/{address}", headers=headers).status_code == 200


@pytest.mark.parametrize("is_elsewhere", [False, True])
def test_a_receipt_is_no_way_around_a_role_or_the_collection_of_a_token(
    client, collection, lead, is_elsewhere
):
    def post(headers):
        return client.post(
            "/api/v1/collections/shapes/alarms/",
            {"kind": "alpha", "below": 0.5, "n_at_least": 3},
            content_type="application/json",
            headers=headers | {"Idempotency-Key": "first"},
        ).status_code

    scope = ApiToken.Scope.COLLECTIONS_WRITE
    headers = cast.bearer(lead, scope)
    assert (post(headers), post(headers)) == (201, 201)
    if is_elsewhere:
        elsewhere = cast.collection("elsewhere")
        cast.member(elsewhere, Role.LEAD, lead)
        headers = cast.bearer(lead, scope, collection=elsewhere)
    else:
        collection.memberships.filter(user=lead).delete()
    assert post(headers) == 404
