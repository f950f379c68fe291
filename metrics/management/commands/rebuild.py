"""Rebuild all derived rows from judgments: grades and open seats of pairs, then every number."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.models import Collection
from annotate.services import seating
from annotate.services.background import kept
from annotate.services.imports import imports
from metrics.services.numbers import refresh


class Command(BaseCommand):
    """Rebuild all derived rows of collections from judgments.

    Held and filled seats stay; history is kept; annotators may go on judging meanwhile.
    """

    help = (
        "Make a collection's seats, resolutions and numbers anew from its judgments; says what "
        "differed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """A collection's short name, or --all."""
        parser.add_argument("slug", nargs="?", help="the collection's name in its address")
        parser.add_argument("--all", action="store_true", help="every collection")
        parser.add_argument(
            "--numbers", action="store_true", help="numbers alone: snapshots, scores, leaderboards"
        )

    def handle(
        self, *args: Any, slug: str | None, all: bool, numbers: bool, **options: Any
    ) -> None:
        """Rebuild the collections one by one."""
        if bool(slug) == all:
            raise CommandError("Name one collection, or give --all.")
        collections = Collection.objects.all() if all else Collection.objects.filter(slug=slug)
        if slug and not collections:
            raise CommandError(f'There is no collection "{slug}".')
        for collection in collections.order_by("slug"):
            if not numbers:
                repairs = seating.rebuild_pairs(collection=collection)
                imports.mark_resolved(collection=collection)
                self.stdout.write(
                    f"{collection.slug}: {repairs.n_pairs:,} pairs; {repairs.n_resolutions:,} "
                    f"resolutions and {repairs.n_seats:,} seats were not what the judgments say, "
                    "and now are"
                )
            kept.delete_all(collection=collection)
            rebuilt = refresh.rebuild(collection=collection)
            self.stdout.write(
                f"{collection.slug}: {rebuilt.n_snapshots} snapshots, {rebuilt.n_scores} scores"
            )
