"""The version is in one place, and is that of the changelog's newest entry.

To see these tests fail: write another number into VERSION, or leave a foot out of a template.
"""

import re

import pytest
from django.conf import settings
from django.template import loader
from django.test import Client

from tests.servers.stack import ROOT

CHANGELOG = (ROOT / "CHANGELOG.md").read_text()
HEADING = re.compile(r"^## (\S+) - (Unreleased|\d{4}-\d\d-\d\d)$", re.MULTILINE)
KINDS = {"To upgrade", "Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_the_changelog_begins_with_the_version_that_runs() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", settings.VERSION)
    assert HEADING.findall(CHANGELOG)[0][0] == settings.VERSION


def test_the_changelog_has_the_form_it_names() -> None:
    assert len(re.findall(r"^## ", CHANGELOG, re.MULTILINE)) == len(HEADING.findall(CHANGELOG))
    assert set(re.findall(r"^### (.+)$", CHANGELOG, re.MULTILINE)) <= KINDS
    versions = [tuple(map(int, version.split("."))) for version, _ in HEADING.findall(CHANGELOG)]
    assert versions == sorted(set(versions), reverse=True)
    assert [day for _, day in HEADING.findall(CHANGELOG)[1:] if day == "Unreleased"] == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path", ["/", "/account/", "/accounts/login/", "/no/such/page", "/admin/", "/admin/annotate/"]
)
def test_pages_end_with_the_version(admin_client: Client, path: str) -> None:
    client = Client() if path == "/accounts/login/" else admin_client
    body = client.get(path).content.decode()
    foot = body[body.rindex("<footer") : body.rindex("</footer>")]
    assert f"Assayer {settings.VERSION}" in foot


@pytest.mark.parametrize("page", ["500.html", "503.html"])
def test_pages_of_an_outage_do_too(page: str) -> None:
    assert f"Assayer {settings.VERSION}</footer>" in loader.get_template(page).render()


def test_the_screens_without_a_foot_have_it_in_the_menu() -> None:
    templates = ROOT / "templates"
    screens = [
        file
        for file in templates.rglob("*.html")
        if "{% block foot %}{% endblock %}" in file.read_text()
    ]
    assert {file.name for file in screens} == {"judge.html", "screen.html"}
    for screen in screens:
        bar = re.search(r'{% block bar %}{% include "(.+)" %}{% endblock %}', screen.read_text())
        assert bar and "has_no_foot=True" in (templates / bar[1]).read_text()
    menu = loader.get_template("shell/_user_menu.html")
    person = {"is_authenticated": True, "get_username": "mia"}
    assert f"Assayer {settings.VERSION}" in menu.render({"has_no_foot": True, "user": person})
    assert f"Assayer {settings.VERSION}" not in menu.render({"user": person})
