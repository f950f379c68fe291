"""Every address, six people, every method: who is answered what stands in access_matrix.csv."""

from typing import NamedTuple

import pytest
from django.db import connection
from django.http import HttpResponseNotFound
from django.test.utils import CaptureQueriesContext, override_settings
from django.urls import reverse

from tests import access_table
from tests.access_table import PRINCIPALS, Address, addresses, administration, build, knock, row_of, told, url_of
from tests.lasting import lasting

pytestmark = pytest.mark.django_db
REFUSED = {"in", "401", "404", "405"}
SHARED = {"healthz", "readyz"}  # the same for everybody, and about no collection
CHANGED_BY = {  # who may; 415: they sent no JSON, 422: a pool was made of the run
    ("PATCH", "api:run"): {"researcher", "admin"},
    ("DELETE", "api:run"): {"researcher", "admin"},
}


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker, tmp_path_factory):
    """One world for all tests here: each of them undoes what it did."""
    folder = tmp_path_factory.mktemp("media")
    with lasting(django_db_blocker), override_settings(MEDIA_ROOT=folder):
        yield build(folder)


@pytest.fixture
def brief_refusals(monkeypatch):
    """What is not there is said without a page, which would take most of the time; `readings` see those pages."""
    monkeypatch.setattr("config.urls.handler404", lambda request, exception: HttpResponseNotFound(), raising=False)


# What the session of whoever leads opens with a password alone, where leads need a second factor: sign-in, sign-out,
# forgotten passwords, the way to the second factor, and what every machine may ask for. Not read from the product.
BEFORE_SECOND_FACTOR = {
    "account_login", "account_logout", "account_reauthenticate", "account_reset_password",
    "account_reset_password_done", "account_reset_password_from_key", "account_reset_password_from_key_done",
    "mfa_authenticate", "mfa_reauthenticate", "mfa_activate_totp", "healthz", "readyz",
}  # fmt: skip
OF_ANY_TOKEN = {"api:root", "api:unknown"}  # the version, and that there is no such address


def ours():
    return [found for found in addresses() if not found.name.startswith(("account_", "mfa_"))]


def test_every_address_is_in_the_table_and_every_line_is_an_address():
    rows = access_table.table()
    names = {found.name for found in addresses()} | {row_of(found.name, rows) for found in administration()}
    assert {(name, method) for name in names for method in ("GET", "POST")} == set(rows)


class Reading(NamedTuple):
    """What came of somebody's GET."""

    told: str
    changes: list[str]
    names_twin: bool


@pytest.fixture(scope="module")
def readings(world) -> dict[tuple[Address, str], Reading]:
    """Every address, asked for by everybody once."""
    return {(address, who): reading(world, address, who) for address in addresses() for who in PRINCIPALS}


def reading(world, address, who) -> Reading:
    url = url_of(world, address, world.campaign, keys_of=world.campaign)
    with CaptureQueriesContext(connection) as queries:
        answer = knock(world, who, "GET", address, url)
        body = b"".join(answer) if answer.streaming else answer.content
    statements = [str(row["sql"]) for row in queries]  # COPY comes as psycopg composes it
    changes = [sql for sql in statements if sql.startswith(("INSERT", "UPDATE", "DELETE"))]
    changes = [sql for sql in changes if '"last_used_at" = ' not in sql]  # that a key was used, once a minute
    return Reading(told(answer), changes, b"zwillingsstudie" in body.lower())


def test_everybody_is_answered_what_the_table_says(world, readings):
    expected, found = access_table.table(), {}
    for address in addresses():
        url = url_of(world, address, world.campaign, keys_of=world.campaign)
        for who in PRINCIPALS:
            answers = {"GET": readings[address, who].told, "POST": told(knock(world, who, "POST", address, url))}
            for method, answer in answers.items():
                wanted = expected[address.name, method][who]
                if answer != wanted:
                    found[f"{method} {address.name} {who}"] = f"{answer}, expected {wanted}"
    assert found == {}


def test_everybody_is_answered_by_the_administration_what_the_table_says(world, brief_refusals):
    expected, found = access_table.table(), {}
    for address in administration():
        url = url_of(world, address, world.campaign, keys_of=world.campaign)
        for who in PRINCIPALS:
            for method in ("GET", "POST"):
                answer = told(knock(world, who, method, address, url))
                wanted = expected[row_of(address.name, expected), method][who]
                if answer != wanted:
                    found[f"{method} {address.name} {who}"] = f"{answer}, expected {wanted}"
    assert found == {}


def test_reading_writes_nothing_and_names_no_other_collection(readings):
    ours_read = {(address.name, who): readings[address, who] for address in ours() for who in PRINCIPALS}
    assert {key: read.changes for key, read in ours_read.items() if read.changes} == {}
    assert {key: read.told for key, read in ours_read.items() if read.names_twin and key[1] != "admin"} == {}


def test_the_twin_collection_does_not_exist_for_who_has_no_part_in_it(world, brief_refusals):
    opened = {}
    for address in ours():
        if "slug" not in address.arguments:
            continue
        url = url_of(world, address, world.twin, keys_of=world.twin)
        for who in set(PRINCIPALS) - {"admin"}:
            for method in ("GET", "POST"):
                answer = told(knock(world, who, method, address, url))
                if answer not in REFUSED:
                    opened[f"{method} {url} {who}"] = answer
    assert opened == {}


def test_an_object_of_the_twin_is_not_found_under_ones_own_collection(world, brief_refusals):
    opened = {}
    for address in ours():
        if not {"slug", "pk"} <= set(address.arguments):
            continue
        url = url_of(world, address, world.campaign, keys_of=world.twin)
        for who in PRINCIPALS:
            for method in ("GET", "POST"):
                answer = told(knock(world, who, method, address, url))
                if answer not in REFUSED:
                    opened[f"{method} {url} {who}"] = answer
    assert opened == {}


def test_no_other_method_opens_anything(world, brief_refusals, request):
    """By default it is tried by nobody and by who may do all; the others may do some of it."""
    opened, people = {}, PRINCIPALS if request.config.getoption("--full") else ("anonymous", "admin")
    for address in ours():
        if address.name in SHARED:
            continue
        url = url_of(world, address, world.campaign, keys_of=world.campaign)
        for who in people:
            for method in ("PUT", "PATCH", "DELETE"):
                answer = told(knock(world, who, method, address, url))
                allowed = {"415", "422"} if who in CHANGED_BY.get((method, address.name), ()) else REFUSED
                if answer not in allowed:
                    opened[f"{method} {url} {who}"] = answer
    assert opened == {}


def way_to_second_factor(answer):
    """Where an answer sends whoever has shown a password alone; nothing where it lets them through."""
    if answer.status_code == 401 and answer.headers["Content-Type"] == "application/json":
        return answer.json()["sign_in"]
    return answer.url if answer.status_code == 302 else ""


def test_where_leads_need_a_second_factor_a_password_alone_opens_no_address_but_the_way_there(world, settings):
    """To see it fail: add an address to WAY_IN, let superusers lead nothing, or ask programs for nothing."""
    settings.LEADS_NEED_MFA = True
    opened, way = set(), reverse("mfa_activate_totp")
    for address in [*addresses(), *administration()]:
        url = url_of(world, address, world.campaign, keys_of=world.campaign)
        for who in ("lead", "admin"):
            for method in ("GET", "POST"):
                answer = knock(world, who, method, address, url)
                is_refused = (
                    answer.status_code in {403, 405} if address.name.startswith("api:")
                    else way_to_second_factor(answer) == way
                )  # fmt: skip
                if not is_refused:
                    opened.add(address.name)
    assert opened == BEFORE_SECOND_FACTOR | OF_ANY_TOKEN


def listed(world, who, name, key, *args):
    answer = world.clients[who].get(reverse(name, args=args))
    return {getattr(row, "pk", None) or row[0].pk for row in answer.context[key]}


def test_lists_hold_ones_own_rows_and_no_others(world):
    collection, twin = world.campaign.collection, world.twin.collection
    homes = {who: listed(world, who, "annotate:home", "entries") for who in world.users}
    own = {collection.pk}
    assert homes == {
        "stranger": set(), "annotator": own, "lead": own, "researcher": own, "admin": {collection.pk, twin.pk}
    }
    members = set(collection.memberships.values_list("pk", flat=True))
    assert listed(world, "lead", "annotate:members", "rows", "made") == members
    assert listed(world, "lead", "annotate:members", "invitations", "made") == set(
        collection.invitations.values_list("pk", flat=True)
    )
    for who, user in world.users.items():
        assert listed(world, who, "annotate:tokens", "tokens") == set(user.api_tokens.values_list("pk", flat=True))


def test_a_token_can_be_bound_to_own_collections_alone(world):
    choices = {
        who: set(world.clients[who].get(reverse("annotate:tokens")).context["form"].fields["collection"].queryset)
        for who in world.users
    }
    collection, twin = world.campaign.collection, world.twin.collection
    assert choices == {
        "stranger": set(),
        "annotator": set(),
        "lead": {collection},
        "researcher": {collection},
        "admin": {collection, twin},
    }
