"""Receipts of what programs created, so that a repeated request creates nothing twice."""

from django.db import models
from django.db.models.functions import Now

from ..collections import Collection
from ..people import User


class Receipt(models.Model):
    """The answer to a request with an `Idempotency-Key`, kept for a day.

    A request without an answer never was: it is stored in the transaction that creates something.
    """

    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    collection = models.ForeignKey(
        Collection, models.CASCADE, null=True, related_name="+", help_text="Of the address."
    )
    key = models.CharField(max_length=255, help_text="As the program chose it.")
    request_sha256 = models.CharField(
        max_length=64, help_text="Of the method, the address and the body."
    )
    status = models.PositiveSmallIntegerField(null=True)
    location = models.CharField(max_length=255, blank=True)
    answer = models.JSONField(null=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "key"], name="annotate_receipt_unique_key"),
        ]

    def __str__(self) -> str:
        return f"{self.status} for {self.key}"
