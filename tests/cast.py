"""Plain functions that make what tests stand on; every argument has a sensible default."""

import itertools
from functools import cache
from hashlib import sha256

from django.contrib.auth.hashers import make_password

from annotate.models import (
    Annotator,
    Collection,
    Guidelines,
    Item,
    Level,
    Membership,
    Pair,
    Policy,
    Role,
    Side,
    User,
)

_serial = itertools.count(1)
PASSWORD = "correct horse battery staple"


@cache
def _hashed() -> str:
    """PASSWORD as it is stored; hashed once, since that is slow by design."""
    return make_password(PASSWORD)


def user(name: str = "", **fields: object) -> User:
    """A person who can sign in with PASSWORD."""
    return User.objects.create(username=name or f"user{next(_serial)}", password=_hashed(), **fields)


def collection(
    slug: str = "", *, grades: int = 2, positive_from: int = 1, **policy_fields: object
) -> Collection:
    """A collection with `grades` levels (0 to grades - 1), a first policy and guidelines; its key hangs on its name."""
    name = slug or f"collection{next(_serial)}"
    made = Collection.objects.create(
        slug=name, name=name.title(), key=sha256(name.encode()).digest(), positive_from=positive_from
    )
    for grade in range(grades):
        Level.objects.create(collection=made, grade=grade, key=str(grade), name=f"Level {grade}")
    Policy.objects.create(collection=made, version=1, **{"double_share": 0, **policy_fields})
    Guidelines.objects.create(collection=made, version=1, markdown="# How to judge")
    return made


def policy(made: Collection) -> Policy:
    """The collection's newest policy."""
    return made.policies.latest("version")


def member(made: Collection, role: Role, person: User | None = None) -> User:
    """A person with one role in a collection."""
    person = person or user()
    Membership.objects.create(collection=made, user=person, role=role)
    return person


def annotator(made: Collection, person: User | None = None) -> Annotator:
    """A person who judges in a collection."""
    person = member(made, Role.ANNOTATOR, person)
    return Annotator.objects.create(
        collection=made, user=person, origin="person", pseudonym=f"A{next(_serial)}"
    )


def items(made: Collection, side: Side, n: int) -> list[Item]:
    """n items of one side, with one text part each."""
    start = Item.objects.filter(collection=made, side=side).count()
    made_items = Item.objects.bulk_create(
        Item(collection=made, side=side, external_id=f"{side[0]}{start + i}") for i in range(n)
    )
    part = Item._meta.get_field("parts").related_model
    part.objects.bulk_create(
        part(item=item, position=0, kind="text", text=f"text of {item.external_id}")
        for item in made_items
    )
    return made_items


def pairs(made: Collection, n: int, *, per_query: int = 10) -> list[Pair]:
    """n new pairs, `per_query` documents a query."""
    queries = items(made, Side.QUERY, -(-n // per_query))
    documents = items(made, Side.DOCUMENT, per_query)
    return Pair.objects.bulk_create(
        Pair(collection=made, query=queries[i // per_query], document=documents[i % per_query])
        for i in range(n)
    )
