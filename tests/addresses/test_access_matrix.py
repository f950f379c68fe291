"""Every address, six people, every method: access_matrix.csv holds the expected answers."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest
from django.db import connection
from django.http import HttpResponseNotFound
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.addresses import access_table
from tests.addresses.access_table import (
    PRINCIPALS,
    Address,
    addresses,
    administration,
    row_of,
    send_empty_form,
    send_request,
    status_text,
    url_of,
)

pytestmark = pytest.mark.django_db
TEMPLATES = Path(__file__).parents[2] / "templates"
HIDDEN = {"in", "401", "404", "405"}  # as if it were not there
REFUSED = HIDDEN | {"403"}  # to a member of the collection, whom the API tells of the role
SHARED = {"healthz", "readyz"}  # the same for everybody, and about no collection
# who may; 415: they sent no JSON, 422: a pool was made of the run, it is made
CHANGED_BY = {
    ("PATCH", "api:run"): {"researcher", "admin"},
    ("DELETE", "api:run"): {"researcher", "admin"},
    ("PUT", "api:run-limit"): {"researcher", "admin"},
    ("DELETE", "api:release"): {"lead", "admin"},
    ("DELETE", "api:member"): {"lead", "admin"},
    ("DELETE", "api:invitation"): {"lead", "admin"},
    ("DELETE", "api:alarm"): {"lead", "admin"},
    ("PATCH", "api:webhook"): {"lead", "admin"},
    ("DELETE", "api:webhook"): {"lead", "admin"},
    ("PATCH", "api:collection"): {"lead", "admin"},
    ("DELETE", "api:collection"): {"lead", "admin"},
    ("PUT", "api:scheme"): {"lead", "admin"},
}


@pytest.fixture
def brief_refusals(monkeypatch):
    """Answer 404 without a page, which would take most of the time; `readings` see the pages."""
    monkeypatch.setattr(
        "config.urls.handler404", lambda request, exception: HttpResponseNotFound(), raising=False
    )


# The addresses that a lead's session opens with a password alone, where leads need a second factor:
# sign-in, sign-out, forgotten passwords, setting up the second factor, and the health checks of
# machines. Not read from the product.
BEFORE_SECOND_FACTOR = {
    "account_login",
    "account_logout",
    "account_reauthenticate",
    "account_reset_password",
    "account_reset_password_done",
    "account_reset_password_from_key",
    "account_reset_password_from_key_done",
    "mfa_authenticate",
    "mfa_reauthenticate",
    "mfa_activate_totp",
    "healthz",
    "readyz",
}
# The addresses of public releases, which ask nobody who they are.
OF_EVERYBODY = {
    "metrics:public-releases",
    "metrics:public-release",
    "metrics:public-card",
    "metrics:public-scores",
    "metrics:public-queries",
    "metrics:public-query",
    "metrics:public-files",
    "metrics:public-file",
    "metrics:public-archive",
}
OF_ANY_TOKEN = {"api:root", "api:unknown"}  # the version, and that there is no such address


def collection_addresses():
    return [address for address in addresses() if not address.name.startswith(("account_", "mfa_"))]


def test_every_address_is_in_the_table_and_every_line_is_an_address():
    rows = access_table.table()
    names = {address.name for address in addresses()} | {
        row_of(address.name, rows) for address in administration()
    }
    assert {(name, method) for name in names for method in ("GET", "POST")} == set(rows)


def test_every_address_that_a_template_names_exists():
    names = {address.name for address in [*addresses(), *administration()]}
    asked_for = {
        (name, str(file.relative_to(TEMPLATES)))
        for file in TEMPLATES.rglob("*.html")
        for name in re.findall(r"{% url ['\"]([\w:-]+)['\"]", file.read_text())
    }
    assert {(name, file) for name, file in asked_for if name not in names} == set()


class Reading(NamedTuple):
    """The outcome of one principal's GET."""

    status: str
    changes: list[str]
    names_twin: bool


@pytest.fixture(scope="module")
def readings(world) -> dict[tuple[Address, str], Reading]:
    """Every address, requested once by every principal."""
    return {
        (address, principal): reading(world, address, principal)
        for address in addresses()
        for principal in PRINCIPALS
    }


def reading(world, address, principal) -> Reading:
    url = url_of(world, address, world.campaign, keys_of=world.campaign)
    connection.queries_log.clear()  # full, it would show no query of this address
    with CaptureQueriesContext(connection) as queries:
        answer = send_empty_form(world, principal, "GET", address, url)
        body = b"".join(answer) if answer.streaming else answer.content
    statements = [str(row["sql"]) for row in queries]  # COPY comes as psycopg composes it
    changes = [sql for sql in statements if sql.startswith(("INSERT", "UPDATE", "DELETE"))]
    # that a key was used, once a minute
    changes = [sql for sql in changes if '"last_used_at" = ' not in sql]
    return Reading(status_text(answer), changes, b"zwillingsstudie" in body.lower())


def test_everybody_is_answered_what_the_table_says(world, readings):
    table, differences = access_table.table(), {}
    for address in addresses():
        url = url_of(world, address, world.campaign, keys_of=world.campaign)
        for principal in PRINCIPALS:
            answers = {
                "GET": readings[address, principal].status,
                "POST": status_text(send_empty_form(world, principal, "POST", address, url)),
            }
            for method, answer in answers.items():
                expected_status = table[address.name, method][principal]
                if answer != expected_status:
                    differences[f"{method} {address.name} {principal}"] = (
                        f"{answer}, expected {expected_status}"
                    )
    assert differences == {}


def test_everybody_is_answered_by_the_administration_what_the_table_says(world, brief_refusals):
    table, differences = access_table.table(), {}
    for address in administration():
        url = url_of(world, address, world.campaign, keys_of=world.campaign)
        for principal in PRINCIPALS:
            for method in ("GET", "POST"):
                answer = status_text(send_empty_form(world, principal, method, address, url))
                expected_status = table[row_of(address.name, table), method][principal]
                if answer != expected_status:
                    differences[f"{method} {address.name} {principal}"] = (
                        f"{answer}, expected {expected_status}"
                    )
    assert differences == {}


def test_reading_writes_nothing_and_names_no_other_collection(readings):
    ours_read = {
        (address.name, principal): readings[address, principal]
        for address in collection_addresses()
        for principal in PRINCIPALS
    }
    assert {key: read.changes for key, read in ours_read.items() if read.changes} == {}
    assert {
        key: read.status for key, read in ours_read.items() if read.names_twin and key[1] != "admin"
    } == {}


def test_the_twin_collection_does_not_exist_for_who_has_no_part_in_it(world, brief_refusals):
    open_addresses = {}
    for address in collection_addresses():
        if "slug" not in address.arguments or address.name == "moved":
            continue  # an old address leads on whether the collection exists or not
        url = url_of(world, address, world.twin, keys_of=world.twin)
        for principal in set(PRINCIPALS) - {"admin"}:
            for method in ("GET", "POST"):
                answer = status_text(send_empty_form(world, principal, method, address, url))
                if answer not in HIDDEN:
                    open_addresses[f"{method} {url} {principal}"] = answer
    assert open_addresses == {}


def test_an_old_address_does_not_say_whether_its_collection_exists(world):
    for principal in PRINCIPALS:
        for method in ("GET", "POST"):
            answers = [
                send_request(world, principal, method, "moved", f"/c/{slug}/runs/1/", {})
                for slug in (world.twin.collection.slug, "nothing")
            ]
            assert [answer.status_code for answer in answers] == [308, 308]
            assert answers[0].url.replace(world.twin.collection.slug, "nothing") == answers[1].url


def test_an_object_of_the_twin_is_not_found_under_ones_own_collection(world, brief_refusals):
    open_addresses = {}
    for address in collection_addresses():
        if not {"slug", "pk"} <= set(address.arguments):
            continue
        url = url_of(world, address, world.campaign, keys_of=world.twin)
        for principal in PRINCIPALS:
            for method in ("GET", "POST"):
                answer = status_text(send_empty_form(world, principal, method, address, url))
                if answer not in REFUSED:
                    open_addresses[f"{method} {url} {principal}"] = answer
    assert open_addresses == {}


def test_no_other_method_opens_anything(world, brief_refusals, request):
    """By default the anonymous visitor and the admin try it; --full adds the others."""
    open_addresses, people = (
        {},
        PRINCIPALS if request.config.getoption("--full") else ("anonymous", "admin"),
    )
    for address in collection_addresses():
        if address.name in SHARED:
            continue
        url = url_of(world, address, world.campaign, keys_of=world.campaign)
        for principal in people:
            for method in ("PUT", "PATCH", "DELETE"):
                answer = status_text(send_empty_form(world, principal, method, address, url))
                allowed = (
                    {"204", "415", "422"}
                    if principal in CHANGED_BY.get((method, address.name), ())
                    else REFUSED
                )
                if answer not in allowed:
                    open_addresses[f"{method} {url} {principal}"] = answer
    assert open_addresses == {}


def second_factor_url(answer):
    """Where an answer redirects a user without a second factor; empty if it lets them through."""
    if answer.status_code == 401 and answer.headers["Content-Type"] == "application/json":
        return answer.json()["sign_in"]
    return answer.url if answer.status_code == 302 else ""


def test_where_leads_need_a_second_factor_a_password_alone_opens_no_address_but_the_way_there(
    world, settings
):
    """To see it fail: add an address to WAY_IN, or exempt superusers or programs."""
    settings.LEADS_NEED_MFA = True
    open_addresses, mfa_url = set(), reverse("mfa_activate_totp")
    for address in [*addresses(), *administration()]:
        url = url_of(world, address, world.campaign, keys_of=world.campaign)
        for principal in ("lead", "admin"):
            for method in ("GET", "POST"):
                answer = send_empty_form(world, principal, method, address, url)
                is_refused = (
                    answer.status_code in {403, 405}
                    if address.name.startswith("api:")
                    else second_factor_url(answer) == mfa_url
                )
                if not is_refused:
                    open_addresses.add(address.name)
    assert open_addresses == BEFORE_SECOND_FACTOR | OF_EVERYBODY | OF_ANY_TOKEN


def listed_keys(world, principal, name, key, *args):
    answer = world.clients[principal].get(reverse(name, args=args))
    return {getattr(row, "pk", None) or row[0].pk for row in answer.context[key]}


def test_lists_hold_ones_own_rows_and_no_others(world):
    collection, twin = world.campaign.collection, world.twin.collection
    homes = {
        principal: listed_keys(world, principal, "annotate:home", "entries")
        for principal in world.users
    }
    own = {collection.pk}
    assert homes == {
        "stranger": set(),
        "annotator": own,
        "lead": own,
        "researcher": own,
        "admin": {collection.pk, twin.pk},
    }
    people = set(collection.memberships.values_list("user", flat=True))
    assert listed_keys(world, "lead", "annotate:members", "people", "made") == people
    assert listed_keys(world, "lead", "annotate:members", "invitations", "made") == set(
        collection.invitations.values_list("pk", flat=True)
    )
    for principal, user in world.users.items():
        assert listed_keys(world, principal, "annotate:tokens", "tokens") == set(
            user.api_tokens.values_list("pk", flat=True)
        )


def test_a_token_can_be_bound_to_own_collections_alone(world):
    choices = {
        principal: set(
            world.clients[principal]
            .get(reverse("annotate:tokens"))
            .context["form"]
            .fields["collection"]
            .queryset
        )
        for principal in world.users
    }
    collection, twin = world.campaign.collection, world.twin.collection
    assert choices == {
        "stranger": set(),
        "annotator": set(),
        "lead": {collection},
        "researcher": {collection},
        "admin": {collection, twin},
    }
