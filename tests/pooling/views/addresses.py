"""Addresses of the pages of a collection's runs and pools."""

from django.urls import reverse

from annotate.models import Collection


def url(name: str, collection: Collection, *args: object) -> str:
    """The address of one page."""
    return reverse(f"pooling:{name}", args=[collection.slug, *args])
