"""Signing in keeps a token that works, where nobody else reads it."""

import io
import sys

from assayer.client.client import Client
from assayer.client.sites import kept_file


def type_in(monkeypatch, text):
    """Have standard input hold a text."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def test_a_token_is_tried_and_kept(console, live_server, token, monkeypatch):
    type_in(monkeypatch, f"{token}\n")
    assert console("login", "--url", live_server.url) == 0
    assert console.out.startswith(f"{live_server.url} knows the token, and shows it 1 of its")
    assert token not in console.out + console.err
    assert oct(kept_file().stat().st_mode & 0o777) == "0o600"
    assert console("collections") == 0 and "study" in console.out
    with Client() as client:
        assert client.url == live_server.url and client.version()


def test_a_token_that_does_not_work_is_not_kept(console, live_server, study, monkeypatch):
    type_in(monkeypatch, "nothing\n")
    assert console("login", "--url", live_server.url) == 1
    assert console.err.startswith("assayer login: This token is unknown")
    assert not kept_file().exists()
    type_in(monkeypatch, "")
    assert console("login", "--url", live_server.url) == 1 and "This is no token" in console.err


def test_a_token_comes_from_a_file(console, live_server, token, tmp_path):
    (tmp_path / "token").write_text(token)
    assert console("login", "--url", live_server.url, "--token-file", str(tmp_path / "token")) == 0
    assert console("collections", "--token-file", str(tmp_path / "token")) == 0
