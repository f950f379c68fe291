"""Reference sets: labels that a collection came with, and what a sampled one did not draw."""

from typing import Self

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from .collections import Collection
from .items import Item


class ReferenceSetQuerySet(models.QuerySet["ReferenceSet"]):
    """Reference sets, the known truth of a rehearsal apart from the others."""

    def usual(self) -> Self:
        """All but the known truth: the sets that count without being named."""
        return self.exclude(ReferenceSet.IS_TRUTH)

    def known_truth(self) -> Self:
        """The truth that simulated annotators judge by: pages show it, and no number counts it."""
        return self.filter(ReferenceSet.IS_TRUTH)


class ReferenceSet(models.Model):
    """Named labels the collection came with (original, CxC...), already mapped to scheme grades."""

    MAX_NAME = 60
    TRUTH = "truth"  # the name of the known truth of a rehearsal; elsewhere a name like others
    IS_TRUTH = Q(name=TRUTH, collection__is_rehearsal=True)

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="reference_sets")
    name = models.CharField(max_length=MAX_NAME)
    sha256 = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(db_default=Now())

    objects = ReferenceSetQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "name"], name="annotate_referenceset_unique_name"
            ),
            models.CheckConstraint(condition=~Q(name=""), name="annotate_referenceset_named"),
        ]

    def __str__(self) -> str:
        return self.name


class ReferenceLabel(models.Model):
    """One row of a reference set; not a pair until it is pooled."""

    reference_set = models.ForeignKey(ReferenceSet, models.CASCADE, related_name="labels")
    query = models.ForeignKey(Item, models.CASCADE, related_name="+")
    document = models.ForeignKey(Item, models.CASCADE, related_name="+")
    grade = models.PositiveSmallIntegerField()
    stratum = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="The part of a sampled pool that it was drawn from."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["reference_set", "query", "document"],
                name="annotate_referencelabel_unique_pair",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.query} {self.document} {self.grade}"


class Undrawn(models.Model):
    """One target that a sampled reference set pooled but did not draw for judging.

    It has no label, but xinfAP counts it.
    """

    reference_set = models.ForeignKey(ReferenceSet, models.CASCADE, related_name="undrawn")
    query = models.ForeignKey(Item, models.CASCADE, related_name="+")
    document = models.ForeignKey(Item, models.CASCADE, related_name="+")
    stratum = models.PositiveSmallIntegerField()

    class Meta:
        verbose_name_plural = "undrawn"
        constraints = [
            models.UniqueConstraint(
                fields=["reference_set", "query", "document"], name="annotate_undrawn_unique_pair"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.query} {self.document} in stratum {self.stratum}"
