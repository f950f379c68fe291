"""The product that tools/crawl.py crawls, reached beside its pages: a further account, its URLs."""

import os
import secrets
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import django
from django.urls import Resolver404, URLResolver, get_resolver, resolve

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from annotate.models import User  # noqa: E402

OUTSIDER = "outsider"


def outsiders_password() -> str:
    """Give the site a person who is in no collection, or her account a new password."""
    password = secrets.token_urlsafe(12)
    person, _ = User.objects.get_or_create(username=OUTSIDER)
    person.set_password(password)
    person.save()
    return password


def unmet_names(addresses: Iterable[str]) -> list[str]:
    """The names of URLs that none of these addresses has, in order.

    Left out is the administration, of which a model's pages are as any other's.
    """
    met_names = {name_of(address.partition("?")[0]) for address in addresses}
    names = {name for name in all_names(get_resolver()) if not name.startswith("admin:")}
    return sorted(names - met_names)


def all_names(resolver: URLResolver, namespaces: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the names of all URLs with their namespaces, without those that have none."""
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            inner = (*namespaces, pattern.namespace) if pattern.namespace else namespaces
            yield from all_names(pattern, inner)
        elif pattern.name:
            yield ":".join([*namespaces, pattern.name])


def name_of(path: str) -> str:
    """The name of an address's URL; empty where there is none."""
    try:
        return resolve(path).view_name
    except Resolver404:
        return ""
