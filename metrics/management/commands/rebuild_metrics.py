"""Compute all current numbers again from the judgments."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.models import Collection
from metrics.services import refresh


class Command(BaseCommand):
    """Forgets snapshots and scores of a collection, or of all, and computes them again; history is kept."""

    help = "Compute a collection's numbers again; what comes out is what was there, byte for byte."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """A collection's short name, or --all."""
        parser.add_argument("slug", nargs="?", help="the collection's name in its address")
        parser.add_argument("--all", action="store_true", help="every collection")

    def handle(self, *args: Any, slug: str | None, all: bool, **options: Any) -> None:
        """Rebuild one after the other."""
        if bool(slug) == all:
            raise CommandError("Name one collection, or give --all.")
        collections = Collection.objects.all() if all else Collection.objects.filter(slug=slug)
        if slug and not collections:
            raise CommandError(f'There is no collection "{slug}".')
        for collection in collections.order_by("slug"):
            done = refresh.rebuild(collection=collection)
            self.stdout.write(f"{collection.slug}: {done.n_snapshots} snapshots, {done.n_scores} scores")
