"""Counts over the pairs of a collection, by block and in total."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from annotate.models import Collection

BLOCK_SIZE = 16  # pairs with neighbouring keys that are counted together


class Block(models.Model):
    """The part of the collection's counts from one block: 16 pairs with keys from 16 x number on.

    A pure function of annotate's rows, like the tallies, which are the sums over all blocks: see
    services/numbers/tallies.py for the names of the counts.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="+")
    number = models.BigIntegerField()
    keys = ArrayField(models.TextField())
    numbers = ArrayField(models.BigIntegerField(), help_text="How often each key counts.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "number"], name="metrics_block_unique_number"
            ),
        ]

    def __str__(self) -> str:
        return f"block {self.number}"


class Tally(models.Model):
    """One count over all pairs of a collection; kept up to date by difference, rebuildable."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="+")
    key = models.TextField()
    n = models.BigIntegerField()

    class Meta:
        verbose_name_plural = "tallies"
        constraints = [
            models.UniqueConstraint(fields=["collection", "key"], name="metrics_tally_unique_key"),
        ]

    def __str__(self) -> str:
        return f"{self.key}: {self.n}"
