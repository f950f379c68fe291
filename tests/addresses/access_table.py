"""The access matrix: every address of the resolver, and six principals who request it."""

import csv
import re
import shutil
from collections.abc import Callable, Container, Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import NamedTuple

from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from annotate.models import (
    Annotator,
    ApiToken,
    Delivery,
    Item,
    Membership,
    Part,
    Preview,
    ReviewWork,
    Role,
    TrainingPair,
    User,
)
from annotate.services.background import housekeeping
from annotate.services.collection.media import media_folder
from annotate.services.people import accounts, tokens
from tests import campaigns, cast

PRINCIPALS = ("anonymous", "stranger", "annotator", "lead", "researcher", "admin")
CLIP = Path(__file__).resolve().parents[2] / "demo" / "shapes" / "media" / "s004.webm"
TABLE = Path(__file__).with_name("access_matrix.csv")
SCRIPTED = {"annotate:training-next", "annotate:training-answer", "annotate:training-report"}
PLAIN_CASES = {
    "subpath": "no/such/thing",
    "old": "pools",
    "key": "nothing",
    "uidb36": "1",
    "kind": "csv",
    "group": "releases",
    "import_kind": "items",
    "form": "csv",
    "download_kind": "disputed",
    "version": "1.0",
    "path": "README.md",
    "table": "grades",
    "chapter": "collection",
    "tab": "agreement",
    "name": "positives-per-query",
    "guard": "speed",
    "number": 1,
    "set_number": 1,
    "object_id": "1",
    "app_label": "annotate",
    "content_type_id": 1,
    "id": "1",
}


class Address(NamedTuple):
    """One pattern of the resolver."""

    name: str
    arguments: tuple[str, ...]


class World(NamedTuple):
    """A collection, its twin beside it, and the principals who send requests."""

    campaign: campaigns.Campaign
    twin: campaigns.Campaign
    clients: dict[str, Client]
    secrets: dict[str, str]
    users: dict[str, User]
    link: str


def addresses() -> list[Address]:
    """Every address of the product except the administration's."""
    return [address for address in _walk(get_resolver()) if not address.name.startswith("admin:")]


def administration() -> list[Address]:
    """Every named address of the administration; nameless ones redirect to these or nowhere."""
    return [
        address for address in _walk(get_resolver()) if re.fullmatch(r"admin:\w+", address.name)
    ]


def row_of(name: str, rows: Container[tuple[str, str]]) -> str:
    """Table row of an address: its own, or the one shared by all models' admin pages."""
    shared_name = re.sub("^admin:.*_(changelist|add|history|delete|change)$", r"admin:*_\1", name)
    return name if (name, "GET") in rows else shared_name


def table() -> dict[tuple[str, str], dict[str, str]]:
    """The status expected by each principal, by name of the address and method."""
    with TABLE.open(newline="") as lines:
        return {(row["address"], row["method"]): row for row in csv.DictReader(lines)}


def build(media_root: Path) -> World:
    """Two campaigns of one shape; every person of the first one has no part in the second."""
    campaign, twin = campaigns.campaigns("made", "zwillingsstudie")
    users = {
        "stranger": cast.user("stranger"),
        "annotator": campaign.annotators[0].user,
        "lead": campaign.lead,
        "researcher": campaign.researcher,
        "admin": cast.user("admin", is_superuser=True, is_staff=True),
    }
    _add_media(campaign, media_root)
    _add_media(twin, media_root)
    clients, secrets = {"anonymous": Client()}, {}
    for name, user in users.items():
        clients[name] = Client()
        clients[name].force_login(user)
        scopes = list(ApiToken.Scope)
        secrets[name] = tokens.create_token(user=user, name="matrix", scopes=scopes, days=1).secret
    housekeeping.beat_heart(name="worker", queues=["short", "long"])
    link = accounts.invite(
        collection=campaign.collection, role=Role.ANNOTATOR, by=campaign.lead
    ).token
    return World(campaign, twin, clients, secrets, users, link)


def url_of(
    world: World, address: Address, campaign: campaigns.Campaign, *, keys_of: campaigns.Campaign
) -> str:
    """URL of an address, with a campaign's short name and the key of an object of `keys_of`."""
    values = {"slug": campaign.collection.slug, "token": world.link, **PLAIN_CASES}
    if "pk" in address.arguments:
        values["pk"] = _key(address.name)(keys_of)
    if "delivery" in address.arguments:
        hooks = Delivery.objects.filter(hook__collection=keys_of.collection)
        values["delivery"] = _first(hooks)
    if "preview" in address.arguments:
        values["preview"] = Preview.objects.get(parts=values["pk"]).pk
    return reverse(address.name, kwargs={name: values[name] for name in address.arguments})


def send_empty_form(
    world: World, principal: str, method: str, address: Address, url: str
) -> HttpResponse:
    """Send an empty form as a principal; whatever the request changed is rolled back."""
    return send_request(world, principal, method, address.name, url, empty_form(address.name))


def empty_form(name: str) -> Mapping[str, object] | str:
    """The empty form of an address; scripts send theirs as JSON."""
    return "{}" if name in SCRIPTED or "judge-" in name else {}


def send_request(
    world: World, principal: str, method: str, name: str, url: str, body: Mapping[str, object] | str
) -> HttpResponse:
    """Send a form, or JSON text, as a principal; whatever the request changed is rolled back."""
    headers = {}
    if name.startswith("api:") and principal in world.secrets:
        headers["HTTP_AUTHORIZATION"] = f"Bearer {world.secrets[principal]}"
    if isinstance(body, str):
        headers["content_type"] = "application/json"
    client = Client(raise_request_exception=False)
    client.handler = cast.request_handler()
    # signing out must not outlast its undoing
    client.cookies = deepcopy(world.clients[principal].cookies)
    with transaction.atomic():
        send = getattr(client, method.lower())
        answer = send(url, **headers) if method == "GET" else send(url, body, **headers)
        transaction.set_rollback(True)
    return answer


def status_text(answer: HttpResponse) -> str:
    """An answer as the table writes it: "in" for a redirect to sign-in, else the status."""
    if answer.status_code == 302 and answer.url.startswith(reverse("account_login")):
        return "in"
    return str(answer.status_code)


def _walk(
    resolver: URLResolver, namespaces: tuple[str, ...] = (), outer_arguments: tuple[str, ...] = ()
) -> Iterator[Address]:
    for pattern in resolver.url_patterns:
        arguments = (*outer_arguments, *pattern.pattern.converters, *_groups(pattern))
        if isinstance(pattern, URLPattern):
            yield Address(":".join([*namespaces, pattern.name or str(pattern.pattern)]), arguments)
        else:
            inner = (*namespaces, pattern.namespace) if pattern.namespace else namespaces
            yield from _walk(pattern, inner, arguments)


def _groups(pattern: URLPattern | URLResolver) -> tuple[str, ...]:
    return tuple(pattern.pattern.regex.groupindex) if not pattern.pattern.converters else ()


def _add_media(campaign: campaigns.Campaign, media_root: Path) -> None:
    """Give a campaign a picture and a clip with two sources that can be requested."""
    item = Item.objects.filter(collection=campaign.collection, side="document").first()
    preview = Preview.objects.create(
        collection=campaign.collection, checksum="sha256:a", content=b"x", width=1, height=1
    )
    Part.objects.create(
        item=item,
        position=1,
        kind="image",
        path="a.png",
        checksum=preview.checksum,
        preview=preview,
        previewed_at=timezone.now(),
    )
    also = [{"path": "a.mp4", "type": ""}]
    Part.objects.create(item=item, position=2, kind="video", path="a.webm", also=also)
    folder = media_folder(campaign.collection)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "a.mp4").write_bytes(b"\0\0\0\x08ftyp")
    shutil.copy(CLIP, folder / "a.webm")
    (folder / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    for folder_name in ("downloads", "releases"):
        (media_root / folder_name).mkdir(exist_ok=True)
        (media_root / folder_name / "none").write_bytes(b" #\n")


def _key(name: str) -> Callable[[campaigns.Campaign], int]:
    """Function that gives the key for an address, by the longest prefix of its name in KEYS."""
    prefixes = [start for start in KEYS if name.startswith(start)]
    assert prefixes, f"{name} has a key: say in KEYS whose it is"
    return KEYS[max(prefixes, key=len)]


def _first(rows: QuerySet[Model]) -> int:
    return int(rows.earliest("pk").pk)


# The object of a campaign behind each address with a key.
KEYS = {
    "annotate:token-revoke": lambda campaign: campaign.researcher.api_tokens.first().pk,
    "annotate:member-remove": lambda campaign: Membership.objects.get(user=campaign.researcher).pk,
    "annotate:invitation-revoke": lambda campaign: campaign.collection.invitations.first().pk,
    "annotate:inbox-pair": lambda campaign: campaign.collection.reports.first().pair_id,
    "annotate:inbox-concern-act": lambda campaign: campaign.collection.concerns.get().pk,
    "annotate:inbox-batch": lambda campaign: campaign.collection.batches.last().pk,
    "annotate:review-work": lambda campaign: _first(
        ReviewWork.objects.filter(action__collection=campaign.collection)
    ),
    "api:inbox-pair": lambda campaign: campaign.collection.reports.first().pair_id,
    "api:inbox-concern-act": lambda campaign: campaign.collection.concerns.get().pk,
    "api:inbox-batch": lambda campaign: campaign.collection.batches.last().pk,
    "api:review-log-again": lambda campaign: _first(
        ReviewWork.objects.filter(action__collection=campaign.collection)
    ),
    "pooling:pair": lambda campaign: campaign.collection.reports.first().pair_id,
    "annotate:gold-retire": lambda campaign: campaign.collection.golds.first().pk,
    "annotate:import": lambda campaign: _first(campaign.collection.imports.all()),
    "api:import": lambda campaign: _first(campaign.collection.imports.all()),
    "api:item": lambda campaign: _first(campaign.collection.items.all()),
    "api:item-medium": lambda campaign: (
        Part.objects.get(item__collection=campaign.collection, kind="video").pk
    ),
    "api:query-set": lambda campaign: _first(campaign.collection.query_sets.all()),
    "api:reference-set": lambda campaign: _first(campaign.collection.reference_sets.all()),
    "api:download": lambda campaign: _first(campaign.collection.downloads.all()),
    "annotate:training-pair-restore": lambda campaign: (
        TrainingPair.objects.get(pair__collection=campaign.collection).pk
    ),
    "annotate:training-pair-retire": lambda campaign: (
        TrainingPair.objects.get(pair__collection=campaign.collection).pk
    ),
    "annotate:training-decide": lambda campaign: (
        Annotator.objects.filter(collection=campaign.collection).last().pk
    ),
    "annotate:part-media": lambda campaign: (
        Part.objects.get(item__collection=campaign.collection, kind="image").pk
    ),
    "annotate:part-preview": lambda campaign: (
        Part.objects.get(item__collection=campaign.collection, kind="image").pk
    ),
    "annotate:part-source": lambda campaign: (
        Part.objects.get(item__collection=campaign.collection, kind="video").pk
    ),
    "api:member": lambda campaign: Membership.objects.get(user=campaign.researcher).pk,
    "api:invitation": lambda campaign: campaign.collection.invitations.first().pk,
    "api:annotator": lambda campaign: (
        Annotator.objects.filter(collection=campaign.collection).last().pk
    ),
    "api:alarm": lambda campaign: campaign.collection.alarms.get().pk,
    "api:job": lambda campaign: campaign.collection.releases.earliest("pk").work_id,
    "annotate:webhook": lambda campaign: _first(campaign.collection.hooks.all()),
    "api:webhook": lambda campaign: _first(campaign.collection.hooks.all()),
    "api:deliver": lambda campaign: _first(campaign.collection.hooks.all()),
    "api:run": lambda campaign: campaign.run.pk,
    "api:pool": lambda campaign: campaign.pool.pk,
    "api:pair": lambda campaign: campaign.collection.reports.first().pair_id,
    "pooling:run": lambda campaign: campaign.run.pk,
    "pooling:pool": lambda campaign: campaign.pool.pk,
    "metrics:alarm-end": lambda campaign: campaign.collection.alarms.get().pk,
    "metrics:dashboard-person": lambda campaign: campaign.annotators[0].pk,
    "metrics:download": lambda campaign: _first(campaign.collection.downloads.all()),
    "metrics:plan-end": lambda campaign: campaign.collection.plans.get().pk,
    "metrics:pool": lambda campaign: campaign.pool.pk,
}
