"""Which site the client talks to, and with which token."""

import json
import os

import pytest

from assayer.client.errors import AssayerError
from assayer.client.sites import Site, find_site, keep_site, kept_file, kept_sites, site_url

HERE = "http://127.0.0.1:8000"
SITE = "https://assayer.example.org"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (f"{HERE}/", HERE),
        ("http://localhost:9", "http://localhost:9"),
        ("http://[::1]:8000", "http://[::1]:8000"),
        (f"{SITE.upper().replace('HTTPS', 'https')}/api/v1/", SITE),
        (f"{SITE}/below/", f"{SITE}/below"),
    ],
)
def test_the_address_of_a_site_has_one_spelling(url, expected):
    assert site_url(url) == expected


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("assayer.example.org", "no address of a site"),
        ("ftp://assayer.example.org", "no address of a site"),
        ("https://ada:secret@assayer.example.org", "no user, password or query"),
        (f"{SITE}/?next=x", "no user, password or query"),
        ("http://assayer.example.org", "not encrypted"),
        ("http://127.0.0.1.example.org", "not encrypted"),
        ("http://localhost.example.org", "not encrypted"),
        ("http://192.168.0.1:8000", "not encrypted"),
    ],
)
def test_an_address_that_would_show_the_token_or_is_none_is_refused(url, sentence):
    with pytest.raises(AssayerError, match=sentence):
        site_url(url)


def test_a_plain_address_has_to_be_asked_for():
    assert site_url("http://lab:8000", may_be_plain=True) == "http://lab:8000"


def test_arguments_come_before_the_environment_and_that_before_the_login(tmp_path):
    environment = {"XDG_CONFIG_HOME": str(tmp_path)}
    with pytest.raises(AssayerError, match="Which site"):
        find_site(environment=environment)
    keep_site(Site(SITE, "kept"), kept_file(environment))
    assert find_site(environment=environment) == Site(SITE, "kept")
    environment |= {"ASSAYER_URL": HERE, "ASSAYER_TOKEN": "outer"}
    assert find_site(environment=environment) == Site(HERE, "outer")
    assert find_site(HERE, "own", environment=environment) == Site(HERE, "own")


def test_a_token_of_the_environment_goes_to_its_site_alone(tmp_path):
    environment = {
        "XDG_CONFIG_HOME": str(tmp_path),
        "ASSAYER_URL": HERE,
        "ASSAYER_TOKEN": "outer",
    }
    with pytest.raises(AssayerError, match=f"No token for {SITE}"):
        find_site(SITE, environment=environment)
    keep_site(Site(SITE, "kept"), kept_file(environment))
    assert find_site(SITE, environment=environment).token == "kept"


def test_tokens_are_kept_by_site_where_nobody_else_reads_them(tmp_path):
    file = kept_file({"XDG_CONFIG_HOME": str(tmp_path)})
    keep_site(Site(SITE, "one"), file)
    keep_site(Site(HERE, "two"), file)
    assert kept_sites(file) == (HERE, {SITE: "one", HERE: "two"})
    assert [oct(path.stat().st_mode & 0o777) for path in (file, file.parent)] == ["0o600", "0o700"]
    assert [path.name for path in file.parent.iterdir()] == ["sites.json"]


def test_tokens_that_others_may_read_are_not_used(tmp_path):
    environment = {"XDG_CONFIG_HOME": str(tmp_path)}
    file = kept_file(environment)
    keep_site(Site(SITE, "one"), file)
    file.chmod(0o640)
    with pytest.raises(AssayerError, match="chmod 600"):
        find_site(environment=environment)
    keep_site(Site(SITE, "new"), file)
    assert find_site(environment=environment).token == "new"


@pytest.mark.parametrize("content", ["", "[]", json.dumps({"url": SITE}), "\x00"])
def test_a_file_that_is_none_of_ours_is_told(tmp_path, content):
    environment = {"XDG_CONFIG_HOME": str(tmp_path)}
    file = kept_file(environment)
    file.parent.mkdir()
    file.write_text(content)
    os.chmod(file, 0o600)
    with pytest.raises(AssayerError, match="makes it anew"):
        find_site(environment=environment)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("collections/", f"{SITE}/below/api/v1/collections/"),
        ("/below/api/v1/jobs/1/", f"{SITE}/below/api/v1/jobs/1/"),
        ("http://assayer.example.org/below/x?cursor=a%3D", f"{SITE}/below/x?cursor=a%3D"),
    ],
)
def test_addresses_are_those_of_the_site(words, expected):
    assert Site(f"{SITE}/below", "token").address(words) == expected


@pytest.mark.parametrize(
    "words",
    ["https://example.org/x", "//example.org/x", "https://assayer.example.org:8443/x"],
)
def test_an_address_of_another_site_is_refused(words):
    with pytest.raises(AssayerError, match="no address of"):
        Site(SITE, "token").address(words)
