"""Short names of collections, which stand in addresses."""

from itertools import chain, count

from django.utils.text import slugify

from annotate.models import Collection

MAX_STEM = 50  # of one that is made of a name: a number may follow


def free_short_name(*, name: str) -> str:
    """A short name for a collection of this name that no other one has: birds, else birds-2."""
    stem = slugify(name)[:MAX_STEM].strip("-_") or "collection"
    slugs = set(Collection.objects.filter(slug__startswith=stem).values_list("slug", flat=True))
    numbered_stems = (f"{stem}-{number}" for number in count(2))
    return next(slug for slug in chain([stem], numbered_stems) if slug not in slugs)
