"""Refusals of the site as errors with its words; the token goes nowhere else."""

import io
import logging
import traceback

import pytest

from assayer.client.client import Client
from assayer.client.errors import (
    AssayerError,
    Conflict,
    Forbidden,
    NotFound,
    NotReady,
    Refused,
    Unauthorized,
    Unreachable,
)
from tests import cast
from tests.assayer.client.servers import send, serving


def test_a_token_that_counts_no_more_is_unauthorized(live_server, study):
    with Client(live_server.url, "nothing") as client, pytest.raises(Unauthorized) as failure:
        client.collections()
    assert str(failure.value).startswith("This token is unknown, was revoked or has run out")
    assert failure.value.status == 401


def test_a_scope_that_is_missing_is_named(live_server, person):
    secret = cast.bearer(person, "qrels:read")["Authorization"].removeprefix("Bearer ")
    with Client(live_server.url, secret) as client, pytest.raises(Forbidden, match="numbers:read"):
        client.collection("study").progress()


def test_what_is_not_there_is_not_found(client, study):
    for ask in (
        client.collection("none").facts,
        lambda: client.collection("study").run("none"),
        lambda: client.collection("study").pool("none"),
        lambda: client.collection("study").release("9").facts(),
    ):
        with pytest.raises(NotFound):
            ask()


def test_fields_that_are_wrong_are_named(client, study):
    with pytest.raises(Refused) as failure:
        client.collection("study").upload("query_set", io.BytesIO(b"q0\n"), file_name="a", nme="x")
    assert failure.value.errors == {"nme": ["There is no such field."]}
    assert str(failure.value) == "Some fields are wrong. nme: There is no such field."
    assert failure.value.detail == "Some fields are wrong; see errors."


def test_a_file_with_faults_is_refused_in_the_words_of_its_report(client, study):
    with pytest.raises(Refused) as failure:
        client.collection("study").upload_run(
            iter([b"q0 Q0 d0 1 9 t\nq0 d1\n"]), name="bad", file_name="bad.run"
        )
    assert "Run bad was rejected. Line 2: expected 6 fields, found 2." in str(failure.value)
    with pytest.raises(Refused) as failure:
        client.collection("study").upload(
            "query_set", io.BytesIO(b"no\n" * 7), file_name="ids", name="a", direction="forward"
        )
    text = str(failure.value)
    assert text.startswith('ids was rejected. Line 2: the id "no" stands already in line 1;')
    assert text.endswith("There are 2 more.") and text.count("Line ") == 5
    assert len(failure.value.errors["id"]) == 7


def test_a_run_of_other_queries_is_refused_with_their_first_ids(client, study):
    lines = [f"z{n} Q0 d0 1 9 t\n".encode() for n in range(7)]
    with pytest.raises(Refused, match=r"first unknown ids\. Unknown are: z0, z1, z2, z3, z4\.$"):
        client.collection("study").upload_run(lines, name="other", file_name="other.run")


def test_what_changed_since_it_was_read_is_a_conflict(client, study):
    tag = client.request("GET", "collections/study/").headers["ETag"]
    change = {"method": "PATCH", "address": "collections/study/", "tag": tag}
    assert client.request(**change, json={"cite_as": "One."}).json()["cite_as"] == "One."
    with pytest.raises(Conflict, match="has changed since you read it"):
        client.request(**change, json={"cite_as": "Two."})
    assert client.collection("study").facts().cite_as == "One."


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"7", b'{"other": 1}'])
def test_an_address_of_something_else_is_told_by_an_error_of_the_client(body):
    with (
        serving(lambda handler: send(handler, 200, body)) as server,
        Client(server.url, "token") as client,
    ):
        study = client.collection("study")
        for ask in (
            client.version,
            client.collections,
            study.facts,
            study.progress,
            study.analyses,
            lambda: study.upload("items", b"a"),
            lambda: study.open_pool("new", strategy="depth-k"),
        ):
            with pytest.raises(AssayerError, match=r"no JSON|no list|no object|has no field"):
                ask()


def test_a_refusal_that_breaks_its_own_format_is_one_all_the_same():
    problem = {"Content_Type": "application/problem+json"}
    with (
        serving(lambda handler: send(handler, 422, b"<html>", **problem)) as server,
        Client(server.url, "token") as client,
        pytest.raises(Refused, match="answers 422"),
    ):
        client.version()


def test_a_site_that_is_not_there_is_unreachable(pauses):
    with serving(lambda handler: None) as server:
        url = server.url
    with Client(url, "token", retries=1) as client, pytest.raises(Unreachable, match=url):
        client.version()
    assert len(pauses) == 1


def test_numbers_that_take_longer_than_one_waits_are_not_ready():
    with (
        serving(lambda handler: send(handler, 202, b"{}", Retry_After="9")) as server,
        Client(server.url, "token") as client,
        pytest.raises(NotReady, match="after 1 s"),
    ):
        client.collection("study").progress(wait=1)


def test_the_token_is_sent_to_no_other_host(pauses):
    with serving(lambda handler: send(handler, 200, b"{}")) as other:
        redirect = f"{other.url}/x"
        with (
            serving(lambda handler: send(handler, 302, Location=redirect)) as server,
            Client(server.url, "secret-token") as client,
        ):
            with pytest.raises(AssayerError, match=f"sends requests on to {redirect}"):
                client.get("collections/")
            with pytest.raises(AssayerError, match="is no address of"):
                client.get(f"{other.url}/api/v1/collections/")
        assert other.requests == []


def test_a_token_for_this_machine_goes_through_no_proxy(monkeypatch):
    with serving(lambda handler: send(handler, 200, b"{}")) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("http_proxy", proxy.url)
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        with (
            serving(lambda handler: send(handler, 200, b'{"version": "1"}')) as server,
            Client(server.url, "token") as client,
        ):
            assert client.version() == "1"
        assert proxy.requests == []


def test_the_token_is_in_no_text_error_or_log(live_server, study, caplog, pauses):
    caplog.set_level(logging.DEBUG)
    secret = "assayer_a-very-secret-token"
    with Client(live_server.url, secret, retries=1) as client:
        texts = [repr(client), repr(client.transport.site), repr(client.collection("study"))]
        with pytest.raises(Unauthorized) as failure:
            client.collections()
        texts.append("".join(traceback.format_exception(failure.value)))
    for token in (f"{secret}\n X: y", f"{secret} {secret}", "ü" + secret):
        with pytest.raises(AssayerError) as failure:
            Client(live_server.url, token)
        texts.append("".join(traceback.format_exception(failure.value, limit=0)))
    with Client("http://127.0.0.1:1", secret, retries=0) as client:
        with pytest.raises(Unreachable) as failure:
            client.version()
        texts.append("".join(traceback.format_exception(failure.value)))
    assert "HTTP Request" in caplog.text
    assert [text for text in [*texts, caplog.text] if "very-secret" in text] == []
