"""The people and things every test uses: functions with default arguments, and fixtures.

A module requests a fixture by its name; none is automatic. A folder's conftest.py, or a module, may
override a name: the items of tests/pooling, the signed-in people of tests/annotate/views.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest
import redis
from django.conf import LazySettings, settings
from django.contrib.auth.hashers import make_password
from django.test import Client
from django.test.client import ClientHandler
from django.utils import timezone
from playwright.sync_api import BrowserContext

from annotate.models import (
    Annotator,
    Collection,
    Guidelines,
    Item,
    Level,
    Membership,
    Pair,
    Policy,
    ReferenceLabel,
    ReferenceSet,
    Role,
    Side,
    User,
)
from annotate.services.people import tokens
from pooling.models import Ranking, Run
from tests.seeding import next_number

PASSWORD = "correct horse battery staple"


@cache
def _hashed() -> str:
    """PASSWORD as it is stored; hashed once, since that is slow by design."""
    return make_password(PASSWORD)


def user(name: str = "", **fields: object) -> User:
    """A person who can sign in with PASSWORD."""
    return User.objects.create(
        username=name or f"user{next_number()}", password=_hashed(), **fields
    )


def collection(
    slug: str = "",
    *,
    grades: int = 2,
    positive_from: int = 1,
    n_queries: int = 0,
    n_documents: int = 0,
    is_rehearsal: bool = False,
    **policy_fields: object,
) -> Collection:
    """A collection with `grades` levels from 0, policy and guidelines; its key hashes its name."""
    name = slug or f"collection{next_number()}"
    collection = Collection.objects.create(
        slug=name,
        name=name.title(),
        key=sha256(name.encode()).digest(),
        positive_from=positive_from,
        is_rehearsal=is_rehearsal,
    )
    for grade in range(grades):
        Level.objects.create(
            collection=collection, grade=grade, key=str(grade), name=f"Level {grade}"
        )
    Policy.objects.create(collection=collection, version=1, **{"double_share": 0, **policy_fields})
    Guidelines.objects.create(collection=collection, version=1, markdown="# How to judge")
    for side, n in ((Side.QUERY, n_queries), (Side.DOCUMENT, n_documents)):
        if n:
            items(collection, side, n)
    return collection


def policy(collection: Collection) -> Policy:
    """The collection's newest policy."""
    return collection.policies.latest("version")


def member(collection: Collection, role: Role, person: User | None = None) -> User:
    """A person with one role in a collection."""
    person = person or user()
    Membership.objects.create(collection=collection, user=person, role=role)
    return person


def annotator(collection: Collection, person: User | None = None) -> Annotator:
    """A person who judges in a collection."""
    person = member(collection, Role.ANNOTATOR, person)
    return Annotator.objects.create(
        collection=collection, user=person, origin="person", pseudonym=f"A{next_number()}"
    )


def items(collection: Collection, side: Side, n_items: int) -> list[Item]:
    """n items of one side, with one text part each."""
    start = Item.objects.filter(collection=collection, side=side).count()
    new_items = Item.objects.bulk_create(
        Item(collection=collection, side=side, external_id=f"{side[0]}{start + i}")
        for i in range(n_items)
    )
    part = Item._meta.get_field("parts").related_model
    part.objects.bulk_create(
        part(item=item, position=0, kind="text", text=f"text of {item.external_id}")
        for item in new_items
    )
    return new_items


def pairs(collection: Collection, n_pairs: int, *, per_query: int = 10) -> list[Pair]:
    """n new pairs, `per_query` documents a query."""
    queries = items(collection, Side.QUERY, -(-n_pairs // per_query))
    documents = items(collection, Side.DOCUMENT, per_query)
    return Pair.objects.bulk_create(
        Pair(
            collection=collection, query=queries[i // per_query], document=documents[i % per_query]
        )
        for i in range(n_pairs)
    )


def reference(
    collection: Collection, labels: dict[tuple[str, str], int], name: str = "original"
) -> ReferenceSet:
    """A reference set from (query id, document id) -> grade."""
    ids = {(item.side, item.external_id): item.pk for item in collection.items.all()}
    reference_set = ReferenceSet.objects.create(collection=collection, name=name)
    ReferenceLabel.objects.bulk_create(
        ReferenceLabel(
            reference_set=reference_set,
            query_id=ids["query", q],
            document_id=ids["document", d],
            grade=grade,
        )
        for (q, d), grade in labels.items()
    )
    return reference_set


def run(
    collection: Collection,
    name: str,
    rankings: Mapping[int, tuple[list[int], list[float]]],
    *,
    direction: str = "forward",
    **fields: object,
) -> Run:
    """A ready run without its file.

    rankings : a source's key -> its targets' keys, best first, and scores
    """
    file_fields = {
        "file_name": f"{name}.run",
        "file": f"runs/{name}.run",
        "sha256": "0" * 64,
        **fields,
    }
    run = Run.objects.create(
        collection=collection,
        name=name,
        direction=direction,
        state="ready",
        finished_at=timezone.now(),
        **file_fields,
    )
    Ranking.objects.bulk_create(
        Ranking(run=run, source_id=source, targets=targets, scores=scores)
        for source, (targets, scores) in rankings.items()
    )
    return run


def bearer(person: User, *scopes: str, collection: Collection | None = None) -> dict[str, str]:
    """The headers of a program with a person's API token of these scopes."""
    key = tokens.create_token(
        user=person, name="script", scopes=list(scopes), collection=collection, days=1
    )
    return {"Authorization": f"Bearer {key.secret}"}


@cache
def request_handler() -> ClientHandler:
    """Django's request handler, made once: middleware takes longer to load than most answers."""
    return ClientHandler(enforce_csrf_checks=False)


def sign_in(context: BrowserContext, url: str, person: User) -> None:
    """Sign a person in: give the browser a session on the server at an address."""
    client = Client()
    client.force_login(person)
    name = settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": url}])


@pytest.fixture
def client(request: pytest.FixtureRequest) -> Client:
    """Django's client; its handler is new in tests with other settings, which middleware reads."""
    client = Client()
    if "settings" not in request.fixturenames:
        client.handler = request_handler()
    return client


@pytest.fixture
def media_root(tmp_path: Path, settings: LazySettings) -> Path:
    """This test's folder of media and stored files, empty."""
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.MEDIA_ROOT.mkdir()
    return settings.MEDIA_ROOT


@pytest.fixture
def open_media_root(open_folder: Path, settings: LazySettings) -> Path:
    """This test's media folder, readable by processes of other accounts."""
    settings.MEDIA_ROOT = open_folder / "media"
    settings.MEDIA_ROOT.mkdir()
    return settings.MEDIA_ROOT


@pytest.fixture
def broker() -> Iterator[redis.Redis]:
    """The Redis of this run, empty."""
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        client.flushdb()
        yield client


@pytest.fixture(name="collection")
def shapes() -> Collection:
    """A collection "shapes" of three levels, without items."""
    return collection("shapes", grades=3)


@pytest.fixture
def lead(collection: Collection) -> User:
    """A lead of the collection."""
    return member(collection, Role.LEAD)


@pytest.fixture
def researcher(collection: Collection) -> User:
    """A researcher of the collection."""
    return member(collection, Role.RESEARCHER)


@pytest.fixture(name="annotator")
def newcomer(collection: Collection) -> Annotator:
    """An annotator of the collection who has not judged yet."""
    return annotator(collection)
