"""NUL characters, halves of surrogate pairs and JSON without end: 400 and a sentence, at every address, never 500."""

import re
from http.cookies import SimpleCookie

import pytest
from django.db import DataError, connection, transaction
from django.test import Client
from django.test.utils import override_settings

from config import unreadable
from tests import cast
from tests.access_table import SCRIPTED, addresses, administration, build, url_of
from tests.lasting import lasting

pytestmark = pytest.mark.django_db
WHO = ("researcher", "admin")
DEEP = "[" * 100_000
NAMED = re.compile(r'<(?:input|select|textarea)[^>]*\bname="([\w-]+)"')


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker, tmp_path_factory):
    """One world for all tests here: each request is undone."""
    folder = tmp_path_factory.mktemp("media")
    with lasting(django_db_blocker), override_settings(MEDIA_ROOT=folder):
        yield build(folder)


def ask(world, who, method, url, data=None, **options):
    """Ask as somebody, with the rights of a token too; whatever the answer did is undone."""
    headers = {"HTTP_AUTHORIZATION": f"Bearer {world.secrets[who]}"} if who in world.secrets else {}
    client = Client(raise_request_exception=False)
    client.handler = cast.door()
    client.cookies = SimpleCookie({name: each.value for name, each in world.clients[who].cookies.items()})
    with transaction.atomic():
        answer = getattr(client, method)(url, data, **options, **(headers if url.startswith("/api/") else {}))
        if answer.streaming:
            b"".join(answer)
        transaction.set_rollback(True)
    return answer


def everywhere(world):
    for address in [*addresses(), *administration()]:
        yield address, url_of(world, address, world.campaign, keys_of=world.campaign)


def test_a_nul_in_the_query_of_an_address_is_refused_with_a_sentence(world):
    for address, url in everywhere(world):
        for method in ("get", "post"):
            answer = ask(world, "admin", method, f"{url}?q=%00&query=a%00b&page=1")
            assert answer.status_code == 400, (address, answer.status_code)
            assert unreadable.IN_ADDRESS in answer.content.decode(), address
            is_api = url.startswith("/api/")
            assert answer["Content-Type"].startswith("application/problem+json" if is_api else "text/html"), address
            assert "default-src" in answer["Content-Security-Policy"]


@pytest.mark.parametrize("path", ["/invitations/a%00b/", "/static/%00.css", "/media/%00", "/c/%00/", "/accounts/%00"])
def test_a_nul_in_the_path_is_refused_with_a_sentence(client, path):
    answer = client.get(path)
    assert answer.status_code == 400
    assert unreadable.IN_ADDRESS in answer.content.decode()


def test_json_without_end_is_refused_everywhere(world):
    for address, url in everywhere(world):
        for who in WHO:
            answer = ask(world, who, "post", url, DEEP, content_type="application/json")
            assert answer.status_code < 500, (address, who)


def test_the_judge_screen_s_addresses_say_in_json_that_it_is_nested_too_deeply(world):
    found = {}
    for address, url in everywhere(world):
        if address.name.startswith("annotate:judge-") or address.name in SCRIPTED:
            answer = ask(world, "annotator", "post", url, "[" * 19_000, content_type="application/json")
            found[address.name] = answer.status_code, answer.json() if answer.status_code == 400 else None
    refused = (400, {"error": unreadable.NESTED})
    assert {name for name, said in found.items() if said == refused} == SCRIPTED | {
        f"annotate:judge-{name}" for name in ("next", "answer", "undo", "report")
    }


def test_the_api_says_in_its_own_form_that_json_is_nested_too_deeply(world):
    url = f"/api/v1/collections/{world.campaign.collection.slug}/pools/"
    answer = ask(world, "researcher", "post", url, DEEP, content_type="application/json")
    assert answer["Content-Type"] == "application/problem+json"
    assert ask(world, "researcher", "post", url, '{"a":' * 100_000, content_type="application/json").status_code == 400
    assert answer.json() == {
        "type": "about:blank", "title": "Bad Request", "status": 400, "detail": unreadable.NESTED,
    }  # fmt: skip


def test_a_nul_in_any_field_of_any_form_is_no_fault_of_the_server(world):
    names = {"q", "name", "slug", "query", "document", "kind", "username", "login", "email"}
    for _, url in everywhere(world):
        page = ask(world, "admin", "get", url)
        if not page.streaming:
            names |= set(NAMED.findall(page.content.decode(errors="replace")))
    assert len(names) > 60
    fields = dict.fromkeys(sorted(names), "a\0b")
    for address, url in everywhere(world):
        for who in WHO:
            assert ask(world, who, "post", url, fields).status_code < 500, (address, who)
            as_json = ask(world, who, "post", url, fields, content_type="application/json")
            assert as_json.status_code < 500, (address, who)


def test_what_the_database_refuses_by_its_text_is_told_and_other_faults_are_not():
    def fault(sql, *values):
        with pytest.raises(Exception) as refusal, transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql, values)
        return unreadable.reason(refusal.value, is_json=False)

    assert fault("SELECT %s::text", "a\0b") == unreadable.NUL
    assert fault("SELECT %s::jsonb", '{"a": "\\u0000"}') == unreadable.NUL
    assert fault("SELECT %s::text", "\ud800") == unreadable.SURROGATE
    assert fault("SELECT 1 / 0") == fault("SELECT 'a'::int") == ""
    assert unreadable.reason(ValueError("embedded null byte"), is_json=False) == unreadable.NUL
    assert unreadable.reason(RecursionError(), is_json=False) == unreadable.reason(DataError(), is_json=True) == ""


def test_a_session_s_cookie_that_holds_no_key_is_nobody_s(client):
    for written in (r'"\000\000\000\000\000\000\000\000\000"', r'"a\000a\000a\000a\000a\000"', "é" * 32, "a'b" * 10):
        answer = client.get("/account/", headers={"cookie": f"sessionid={written}"})
        assert answer.status_code == 302 and "/accounts/login/" in answer["Location"]
