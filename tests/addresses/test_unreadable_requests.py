"""NUL characters, lone surrogates and endless JSON: every address answers 400, never 500."""

import re
from http.cookies import SimpleCookie

import pytest
from django.db import DataError, connection, transaction
from django.test import Client

from config.site import unreadable_requests
from tests import cast
from tests.addresses.access_table import SCRIPTED, addresses, administration, url_of

pytestmark = pytest.mark.django_db
PRINCIPALS = ("researcher", "admin")
DEEP = "[" * 100_000
FIELD_NAME = re.compile(r'<(?:input|select|textarea)[^>]*\bname="([\w-]+)"')


def send_request(world, principal, method, url, data=None, **options):
    """Send a request as a principal, to the API with a token; all changes are rolled back."""
    headers = (
        {"HTTP_AUTHORIZATION": f"Bearer {world.secrets[principal]}"}
        if principal in world.secrets
        else {}
    )
    client = Client(raise_request_exception=False)
    client.handler = cast.request_handler()
    client.cookies = SimpleCookie(
        {name: morsel.value for name, morsel in world.clients[principal].cookies.items()}
    )
    with transaction.atomic():
        answer = getattr(client, method)(
            url, data, **options, **(headers if url.startswith("/api/") else {})
        )
        if answer.streaming:
            b"".join(answer)
        transaction.set_rollback(True)
    return answer


def all_urls(world):
    for address in [*addresses(), *administration()]:
        yield address, url_of(world, address, world.campaign, keys_of=world.campaign)


def test_a_nul_in_the_query_of_an_address_is_refused_with_a_sentence(world):
    for address, url in all_urls(world):
        for method in ("get", "post"):
            answer = send_request(world, "admin", method, f"{url}?q=%00&query=a%00b&page=1")
            assert answer.status_code == 400, (address, answer.status_code)
            assert unreadable_requests.IN_ADDRESS in answer.content.decode(), address
            is_api = url.startswith("/api/")
            assert answer["Content-Type"].startswith(
                "application/problem+json" if is_api else "text/html"
            ), address
            assert "default-src" in answer["Content-Security-Policy"]


@pytest.mark.parametrize(
    "path", ["/invitations/a%00b/", "/static/%00.css", "/media/%00", "/c/%00/", "/accounts/%00"]
)
def test_a_nul_in_the_path_is_refused_with_a_sentence(client, path):
    answer = client.get(path)
    assert answer.status_code == 400
    assert unreadable_requests.IN_ADDRESS in answer.content.decode()


def test_json_without_end_is_refused_everywhere(world):
    for address, url in all_urls(world):
        for principal in PRINCIPALS:
            answer = send_request(
                world, principal, "post", url, DEEP, content_type="application/json"
            )
            assert answer.status_code < 500, (address, principal)


def test_the_judge_screen_s_addresses_say_in_json_that_it_is_nested_too_deeply(world):
    refusals = {}
    for address, url in all_urls(world):
        if address.name.startswith("annotate:judge-") or address.name in SCRIPTED:
            answer = send_request(
                world, "annotator", "post", url, "[" * 19_000, content_type="application/json"
            )
            refusals[address.name] = (
                answer.status_code,
                answer.json() if answer.status_code == 400 else None,
            )
    refused = (400, {"error": unreadable_requests.NESTED})
    assert {name for name, refusal in refusals.items() if refusal == refused} == SCRIPTED | {
        f"annotate:judge-{name}" for name in ("next", "answer", "undo", "report")
    }


def test_the_api_says_in_its_own_form_that_json_is_nested_too_deeply(world):
    url = f"/api/v1/collections/{world.campaign.collection.slug}/pools/"
    answer = send_request(world, "researcher", "post", url, DEEP, content_type="application/json")
    assert answer["Content-Type"] == "application/problem+json"
    assert (
        send_request(
            world, "researcher", "post", url, '{"a":' * 100_000, content_type="application/json"
        ).status_code
        == 400
    )
    assert answer.json() == {
        "type": "about:blank",
        "title": "Bad Request",
        "status": 400,
        "detail": unreadable_requests.NESTED,
    }


def test_a_nul_in_any_field_of_any_form_is_no_fault_of_the_server(world):
    names = {"q", "name", "slug", "query", "document", "kind", "username", "login", "email"}
    for _, url in all_urls(world):
        page = send_request(world, "admin", "get", url)
        if not page.streaming:
            names |= set(FIELD_NAME.findall(page.content.decode(errors="replace")))
    assert len(names) > 60
    fields = dict.fromkeys(sorted(names), "a\0b")
    for address, url in all_urls(world):
        for principal in PRINCIPALS:
            assert send_request(world, principal, "post", url, fields).status_code < 500, (
                address,
                principal,
            )
            as_json = send_request(
                world, principal, "post", url, fields, content_type="application/json"
            )
            assert as_json.status_code < 500, (address, principal)


def test_what_the_database_refuses_by_its_text_is_told_and_other_faults_are_not():
    def fault(sql, *values):
        with (
            pytest.raises(Exception) as refusal,
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(sql, values)
        return unreadable_requests.reason(refusal.value, is_json=False)

    assert fault("SELECT %s::text", "a\0b") == unreadable_requests.NUL
    assert fault("SELECT %s::jsonb", '{"a": "\\u0000"}') == unreadable_requests.NUL
    assert fault("SELECT %s::text", "\ud800") == unreadable_requests.SURROGATE
    assert fault("SELECT 1 / 0") == fault("SELECT 'a'::int") == ""
    assert (
        unreadable_requests.reason(ValueError("embedded null byte"), is_json=False)
        == unreadable_requests.NUL
    )
    assert (
        unreadable_requests.reason(RecursionError(), is_json=False)
        == unreadable_requests.reason(DataError(), is_json=True)
        == ""
    )


def test_a_session_s_cookie_that_holds_no_key_is_nobody_s(client):
    for cookie in (
        r'"\000\000\000\000\000\000\000\000\000"',
        r'"a\000a\000a\000a\000a\000"',
        "é" * 32,
        "a'b" * 10,
    ):
        answer = client.get("/account/", headers={"cookie": f"sessionid={cookie}"})
        assert answer.status_code == 302 and "/accounts/login/" in answer["Location"]
