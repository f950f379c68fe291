"""Previews of images and clips."""

from typing import TypeAlias

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from ..collections import Collection

_AWAITS_RASTER = Q(reason="", raster=None)


class PreviewReason(models.TextChoices):
    """The reason why an image or a clip has no preview."""

    DAMAGED = "damaged", "The file is damaged"
    NO_IMAGE = "no-image", "The file is no JPEG, PNG, GIF, WebP or AVIF, whatever its name says"
    NO_CLIP = "no-clip", "The file is no MP4, QuickTime, WebM, Matroska or Ogg"
    TOO_LARGE = "too-large", "It has more pixels, or the file more bytes, than previews are made of"
    TOO_COSTLY = "too-costly", "It takes too much memory or time to read"
    MISSING = "missing", "The file is not there, or cannot be read"


class PreviewQuerySet(models.QuerySet["Preview"]):
    """Previews, with the filter for those that were drawn before rasters were."""

    def without_raster(self) -> "PreviewQuerySet":
        """Previews whose rasters a worker has yet to compute."""
        return self.filter(_AWAITS_RASTER)


class Preview(models.Model):
    """The thumbnail of an image or of a clip's frame, one for all equal parts of a collection.

    Parts are equal that have the same content, and clips that start at the same second. Or the
    reason why there is none: such a part is tried again by `redraw_previews` alone.
    """

    Reason: TypeAlias = PreviewReason

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="previews")
    checksum = models.CharField(max_length=80, help_text="Of the file, as its parts have it.")
    start = models.FloatField(
        null=True, blank=True, help_text="Second of the clip that is shown; NULL for images."
    )
    content = models.BinaryField(blank=True, help_text="WebP, drawn anew and without metadata.")
    width = models.PositiveSmallIntegerField(help_text="Pixels; 0 where there is none.")
    height = models.PositiveSmallIntegerField()
    reason = models.CharField(max_length=10, choices=PreviewReason, blank=True)
    raster = models.BinaryField(
        null=True,
        blank=True,
        help_text="The image's mean colours, 32 by 32 cells of red, green and blue. NULL where "
        "there is no content, or none was computed yet; empty where it cannot be had.",
    )
    made_at = models.DateTimeField(db_default=Now())

    objects = PreviewQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(
                fields=["collection"],
                condition=_AWAITS_RASTER,
                name="annotate_preview_no_raster",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "checksum", "start"],
                name="annotate_preview_unique_content",
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                condition=~Q(checksum=""), name="annotate_preview_checksum_not_blank"
            ),
            models.CheckConstraint(
                condition=Q(reason="", width__gt=0, height__gt=0) & ~Q(content=b"")
                | Q(reason__in=PreviewReason.values, width=0, height=0, content=b""),
                name="annotate_preview_content_or_reason",
            ),
            models.CheckConstraint(
                condition=Q(raster=None) | Q(reason=""), name="annotate_preview_raster_of_content"
            ),
        ]

    def __str__(self) -> str:
        return f"preview of {self.checksum}"
