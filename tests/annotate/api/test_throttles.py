"""The pace of a token: told in each answer, and a refusal that says when to ask again."""

import pytest

from annotate.api.throttles import TokenThrottle
from annotate.models import ApiToken, Role
from tests import cast

pytestmark = pytest.mark.django_db
URL = "/api/v1/collections/shapes/runs/"


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still, and that a test moves on."""
    clock = [1_000_000.0]
    monkeypatch.setattr(TokenThrottle, "timer", lambda throttle: clock[0])
    return clock


def headers(*, scope=ApiToken.Scope.RUNS_WRITE):
    return cast.bearer(cast.member(cast.collection("shapes"), Role.RESEARCHER), scope)


def test_a_token_has_so_many_requests_a_minute(client, settings, clock):
    settings.API_REQUESTS_A_MINUTE = 2
    token = headers()
    first = client.get(URL, headers=token)
    assert (first["RateLimit-Limit"], first["RateLimit-Remaining"]) == ("2", "1")
    clock[0] += 20
    second = client.get(URL, headers=token)
    assert (second["RateLimit-Remaining"], second["RateLimit-Reset"]) == ("0", "40")
    third = client.get(URL, headers=token)
    assert (third.status_code, third["Retry-After"], third["RateLimit-Remaining"]) == (
        429,
        "40",
        "0",
    )
    assert third["Content-Type"] == "application/problem+json"
    assert "Expected available in 40 seconds" in third.json()["detail"]
    clock[0] += 40
    assert client.get(URL, headers=token).status_code == 200


def test_tokens_do_not_count_for_one_another(client, settings):
    settings.API_REQUESTS_A_MINUTE = 1
    token = headers()
    other = cast.bearer(cast.user(), ApiToken.Scope.RUNS_WRITE)
    assert client.get(URL, headers=token).status_code == 200
    assert client.get(URL, headers=other).status_code == 404
    assert client.get(URL, headers=token).status_code == 429


def test_a_request_that_is_refused_at_the_door_tells_no_pace(client):
    assert "RateLimit-Limit" not in client.get(URL)
    answer = client.get(URL, headers=headers(scope=ApiToken.Scope.QRELS_READ))
    assert answer.status_code == 403 and "RateLimit-Limit" not in answer
