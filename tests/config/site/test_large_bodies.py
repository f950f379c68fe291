"""Large bodies: only views that take files read one, after they have checked permissions."""

import io
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.test import Client
from django.urls import resolve, reverse

from annotate.models import Import
from config.site import uploads
from tests import cast
from tests.addresses.access_table import PLAIN_CASES, addresses, administration

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]
LENGTH = 3 * uploads.FIELDS
MULTIPART = "multipart/form-data; boundary=b"
TAKE_FILES = {
    "annotate:collection-new": [],
    "annotate:load": ["shapes", "items"],
    "annotate:training-file-add": ["shapes"],
    "pooling:run-upload": ["shapes"],
}
TAKE_FILES_OF_PROGRAMS = {"api:imports": "files:write", "api:runs": "runs:write"}


class Body(io.BytesIO):
    """A large body that counts how much of it was read."""

    @property
    def n_read(self) -> int:
        """The number of bytes read."""
        return self.tell()


def form(token: str) -> Body:
    """A form with its token first, and then a large file of lines."""
    head = f'--b\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n{token}\r\n'
    file = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n'
    line, end = b'{"side": "document", "id": "d1", "text": "x"}\n', b"\r\n--b--\r\n"
    beginning = (head + file).encode()
    return Body(
        (beginning + line * ((LENGTH - len(beginning) - len(end)) // len(line))).ljust(
            LENGTH - len(end), b"\n"
        )
        + end
    )


def send(client, url, body, *, kind=MULTIPART, **extra):
    body_of = {"wsgi.input": body, "CONTENT_LENGTH": str(LENGTH), "CONTENT_TYPE": kind}
    return client.generic("POST", url, **body_of, **extra)


def signed_in(person=None):
    """A signed-in client that must send the token, unlike Django's own."""
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    if person:
        client.force_login(person)
    client.cookies[django_settings.CSRF_COOKIE_NAME] = "a" * 32
    return client


def nothing_kept():
    folder = Path(django_settings.MEDIA_ROOT) / "uploads"
    return not Import.objects.exists() and not (folder.exists() and list(folder.iterdir()))


def url_of(address):
    values = {"slug": "shapes", "pk": 1, "delivery": 1, "preview": 1, "token": "t", **PLAIN_CASES}
    return reverse(address.name, kwargs={name: values[name] for name in address.arguments})


def test_no_other_address_reads_a_large_body(collection):
    client, outcomes = signed_in(cast.user("root", is_superuser=True, is_staff=True)), {}
    for address in [*addresses(), *administration()]:
        takes = address.name in TAKE_FILES or address.name in TAKE_FILES_OF_PROGRAMS
        for kind in (
            ("application/json", "application/x-www-form-urlencoded") if takes else (MULTIPART,)
        ):
            body = form("a" * 32)
            answer = send(client, url_of(address), body, kind=kind)
            outcomes[address.name, kind] = (answer.status_code, body.n_read)
    assert {name: outcome for name, outcome in outcomes.items() if outcome != (413, 0)} == {}
    assert len(outcomes) > 150 and nothing_kept()


@pytest.mark.parametrize(
    "path", ["/nothing/", "/c/shapes", "/static/nothing.css", "/api/v1/nothing/"]
)
def test_what_is_no_address_reads_no_large_body(collection, path):
    body = form("a" * 32)
    answer = send(signed_in(), path, body)
    assert answer.status_code == {"/c/shapes": 301, "/api/v1/nothing/": 413}.get(path, 404)
    assert (body.n_read, nothing_kept()) == (0, True)


def test_what_takes_files_is_what_is_marked(collection):
    marked = {
        address.name
        for address in addresses()
        if uploads.takes_files(resolve(url_of(address)).func)
    }
    assert marked == {*TAKE_FILES, *TAKE_FILES_OF_PROGRAMS}


@pytest.mark.parametrize("person", ["nobody", "stranger", "annotator", "forged"])
def test_who_may_not_upload_keeps_nothing(collection, researcher, annotator, person):
    people = {"stranger": cast.user("stranger"), "annotator": annotator.user, "forged": researcher}
    client, outcomes = signed_in(people.get(person)), {}
    for name, arguments in TAKE_FILES.items():
        body = form("b" * 32 if person == "forged" else "a" * 32)
        outcomes[name] = send(client, reverse(name, args=arguments), body).status_code
        assert body.n_read <= uploads.FIELDS and nothing_kept()
    status = {"nobody": 302, "forged": 403}.get(person, 404)
    assert outcomes == dict.fromkeys(TAKE_FILES, status)


@pytest.mark.parametrize("person", ["nobody", "stranger", "annotator", "other scope"])
def test_a_program_that_may_not_upload_is_refused_unread(collection, researcher, annotator, person):
    people = {
        "stranger": cast.user("stranger"),
        "annotator": annotator.user,
        "other scope": researcher,
    }
    for name, scope in TAKE_FILES_OF_PROGRAMS.items():
        other_scopes = [other for other in TAKE_FILES_OF_PROGRAMS.values() if other != scope]
        headers = (
            cast.bearer(people[person], *(other_scopes if person == "other scope" else [scope]))
            if person in people
            else {}
        )
        body = form("")
        answer = send(signed_in(), reverse(name, args=["shapes"]), body, headers=headers)
        statuses = {"nobody": 401, "stranger": 404}  # a member is told what she lacks
        assert answer.status_code == statuses.get(person, 403)
        assert (body.n_read, nothing_kept()) == (0, True)


def test_who_may_upload_keeps_every_byte(collection, researcher):
    body = form("a" * 32)
    content = body.getvalue()
    answer = send(signed_in(researcher), reverse("annotate:load", args=["shapes", "items"]), body)
    assert answer.status_code == 302
    assert (
        Path(Import.objects.get().file.path).read_bytes()
        == content[content.index(b"{") : -len(b"\r\n--b--\r\n")]
    )


def test_a_token_behind_the_file_or_behind_a_megabyte_is_none(collection, researcher):
    url, token = reverse("annotate:load", args=["shapes", "items"]), form("a" * 32).getvalue()
    part = b'--b\r\nContent-Disposition: form-data; name="%s"\r\n\r\n'
    nameless = part % b"x" + b"x" * uploads.FIELDS + b"\r\n"
    for before in (
        nameless,
        token[token.index(b"--b", 5) : uploads.FIELDS] + b"\r\n",
        b"no form at all " * 100_000,
    ):
        body = Body((before + token)[:LENGTH])
        answer = send(signed_in(researcher), url, body)
        assert answer.status_code == 403
        assert body.n_read <= uploads.FIELDS and nothing_kept()


def test_a_large_body_that_nobody_expects_is_refused_in_the_form_of_the_address(client):
    page = send(client, reverse("account_login"), form(""))
    assert "larger than 1 MB" in page.content.decode()
    answer = send(client, "/api/v1/collections/shapes/pools/", form(""), kind="application/json")
    assert (answer.status_code, answer.headers["Content-Type"]) == (413, "application/problem+json")
    assert "larger than 1 MB" in answer.json()["detail"]


class Broken(Body):
    """A body whose client sends nothing more."""

    def read(self, size=-1):
        if self.n_read > uploads.FIELDS:
            raise TimeoutError("it came too slowly")
        return super().read(size)


def test_an_upload_that_breaks_off_is_told_so(collection, researcher):
    body = Broken(form("a" * 32).getvalue())
    answer = send(signed_in(researcher), reverse("annotate:load", args=["shapes", "items"]), body)
    assert (answer.status_code, "it came too slowly" in answer.content.decode()) == (408, True)
    body = Broken(form("").getvalue())
    headers = cast.bearer(researcher, "files:write")
    answer = send(signed_in(), reverse("api:imports", args=["shapes"]), body, headers=headers)
    assert (answer.status_code, answer.headers["Content-Type"]) == (408, "application/problem+json")
    assert nothing_kept()
