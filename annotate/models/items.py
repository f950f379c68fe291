"""Items and their parts, query sets."""

from typing import TypeAlias

from django.db import models
from django.db.models import F, Q, Value
from django.db.models.functions import Now

from annotate.core.labels.cards import MediaSource

from .collections import Collection
from .media.previews import Preview


class Side(models.TextChoices):
    QUERY = "query", "Query"
    DOCUMENT = "document", "Document"


class Direction(models.TextChoices):
    FORWARD = "forward", "Query to document"
    REVERSE = "reverse", "Document to query"

    @property
    def sources(self) -> str:
        """The noun for its source items: "queries", or "documents" in the reverse direction."""
        return "queries" if self == Direction.FORWARD else "documents"

    @property
    def targets(self) -> str:
        """The noun for its targets: "documents", or "queries" in the reverse direction."""
        return "documents" if self == Direction.FORWARD else "queries"


# neither ranked nor judged
_LEFT_OUT = Q(excluded_at__isnull=False) | ~Q(split="test")


class ItemQuerySet(models.QuerySet["Item"]):
    """Items, with the filters for those in use and for those left out."""

    def in_use(self) -> "ItemQuerySet":
        """Items that are retrieved and judged: of the split test, and not excluded by a lead.

        In SQL it is `item_in_use` of annotate/services/seating/in_use.py.
        """
        return self.filter(excluded_at=None, split="test")

    def left_out(self) -> "ItemQuerySet":
        """Items neither ranked nor judged: excluded by a lead, or of a split other than test."""
        return self.filter(_LEFT_OUT)

    def missing_side(self) -> str:
        """Return the one side that has no items, "query" or "document"; "" for neither or both."""
        empty_sides = [side for side in Side if not self.filter(side=side).exists()]
        return empty_sides[0].value if len(empty_sides) == 1 else ""


class Item(models.Model):
    """One thing that can be shown, on the query or the document side."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="items")
    side = models.CharField(max_length=8, choices=Side)
    external_id = models.CharField(max_length=255)
    split = models.CharField(max_length=20, default="test")
    warning = models.CharField(max_length=200, blank=True)
    group = models.CharField(
        max_length=255,
        blank=True,
        default="",
        db_default="",
        help_text="What it belongs to with others of its side, as the upload says; blank where it "
        "says nothing.",
    )
    excluded_at = models.DateTimeField(null=True, blank=True)
    excluded_reason = models.CharField(max_length=200, blank=True)
    joined_at = models.DateTimeField(
        null=True,
        blank=True,
        db_default=Now(),
        help_text="Blank for items that were here before this was written down.",
    )

    objects = ItemQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "side", "external_id"],
                name="annotate_item_unique_external_id",
            ),
            # The target of composite foreign keys: rows of one collection cannot point into
            # another.
            models.UniqueConstraint(
                fields=["id", "collection"], name="annotate_item_unique_in_collection"
            ),
            models.UniqueConstraint(
                fields=["id", "collection", "side"], name="annotate_item_unique_on_side"
            ),
            models.CheckConstraint(
                condition=Q(side__in=Side.values), name="annotate_item_known_side"
            ),
            models.CheckConstraint(
                condition=~Q(external_id=""), name="annotate_item_external_id_not_blank"
            ),
            models.CheckConstraint(
                condition=Q(excluded_at__isnull=True) | ~Q(excluded_reason=""),
                name="annotate_item_exclusion_has_reason",
            ),
        ]
        # Every rank that is shown needs the few items that are left out.
        indexes = [
            models.Index(
                fields=["collection"],
                condition=_LEFT_OUT,
                name="annotate_item_left_out",
            ),
        ]

    def __str__(self) -> str:
        return self.external_id


class PartKind(models.TextChoices):
    """The medium of a part."""

    TEXT = "text", "Text"
    HTML = "html", "HTML"
    IMAGE = "image", "Image"
    VIDEO = "video", "Video"
    AUDIO = "audio", "Audio"


TEXT_KINDS = (PartKind.TEXT, PartKind.HTML)
PLAYED_KINDS = (PartKind.VIDEO, PartKind.AUDIO)
FILE_KINDS = (PartKind.IMAGE, *PLAYED_KINDS)
SEEN_KINDS = (PartKind.IMAGE, PartKind.VIDEO)

_NOT_INSPECTED = Q(kind__in=PLAYED_KINDS, looked_at=None)
_AWAITS_CHECKSUM = Q(kind__in=FILE_KINDS, checksum=None)
_AWAITS_PREVIEW = {kind: Q(kind=kind, checksum__gt="", previewed_at=None) for kind in SEEN_KINDS}


class PartQuerySet(models.QuerySet["Part"]):
    """Parts, with the filters for those whose files are still to be read."""

    def not_inspected(self) -> "PartQuerySet":
        """Clips and recordings whose files have not been inspected for their types."""
        return self.filter(_NOT_INSPECTED)

    def unread(self) -> "PartQuerySet":
        """Media that a worker has yet to read, for their types or their checksums.

        A blank checksum is known not to be had.
        """
        return self.filter(_NOT_INSPECTED | _AWAITS_CHECKSUM)

    def without_preview(self, kind: PartKind) -> "PartQuerySet":
        """Images or clips whose previews are yet to be made; those at addresses never get one."""
        return self.filter(_AWAITS_PREVIEW[kind])


class Part(models.Model):
    """One text, one page of HTML as it came, or one medium of an item.

    A medium may be shown only from a start to an end second.
    """

    Kind: TypeAlias = PartKind

    PLAYED = PLAYED_KINDS

    item = models.ForeignKey(Item, models.CASCADE, related_name="parts")
    position = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=5, choices=Kind)
    text = models.TextField(blank=True)
    path = models.CharField(
        max_length=500, blank=True, help_text="Relative to the collection's media folder, or a URL."
    )
    start = models.FloatField(null=True, blank=True)
    end = models.FloatField(null=True, blank=True)
    type = models.CharField(
        max_length=120,
        blank=True,
        db_default="",
        default="",
        help_text="Container and codecs of a clip or recording as a MIME type; blank where nobody "
        "knows.",
    )
    also = models.JSONField(
        blank=True,
        default=list,
        db_default=Value([], models.JSONField()),
        help_text="Further files or URLs of the same medium, in the order they are tried, each "
        "with its path and type.",
    )
    seconds = models.FloatField(
        null=True,
        blank=True,
        help_text="How long the file of a clip or recording plays, from its first to its last "
        "moment. NULL where its head does not say it, or nobody looked.",
    )
    looked_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When the files of a clip or recording were looked into for types and length.",
    )
    checksum = models.CharField(  # noqa: DJ001 - see its help
        max_length=80,
        null=True,
        blank=True,
        help_text="Of the file at its path, with the method: sha256:..., or of a file in a bucket "
        "etag:...-size. Blank where there is none to be had, NULL where none was computed yet.",
    )

    preview = models.ForeignKey(
        Preview, models.SET_NULL, null=True, blank=True, related_name="parts"
    )
    previewed_at = models.DateTimeField(
        null=True, blank=True, help_text="When its preview was made, or could not be."
    )

    objects = PartQuerySet.as_manager()

    class Meta:
        ordering = ["position"]
        indexes = [
            models.Index(
                fields=["id"],
                condition=_NOT_INSPECTED | _AWAITS_CHECKSUM,
                name="annotate_part_unread",
            ),
            models.Index(
                fields=["id"],
                condition=_AWAITS_PREVIEW[PartKind.IMAGE],
                name="annotate_part_without_preview",
            ),
            models.Index(  # many wait for ever: not every machine has an ffmpeg
                fields=["id"],
                condition=_AWAITS_PREVIEW[PartKind.VIDEO],
                name="annotate_part_without_poster",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["item", "position"], name="annotate_part_unique_position"
            ),
            models.CheckConstraint(
                condition=(Q(kind__in=TEXT_KINDS) & Q(path="") & ~Q(text=""))
                | (Q(kind__in=FILE_KINDS) & ~Q(path="")),
                name="annotate_part_has_content",
            ),
            models.CheckConstraint(
                condition=Q(start__isnull=True) | Q(end__isnull=True) | Q(end__gt=F("start")),
                name="annotate_part_ends_after_start",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=PLAYED_KINDS) | Q(also=[], type=""),
                name="annotate_part_sources_of_media",
            ),
            models.CheckConstraint(
                condition=Q(checksum=None)
                | (Q(kind__in=FILE_KINDS) & (Q(checksum="") | ~Q(path__contains="://"))),
                name="annotate_part_checksum_of_file",
            ),
            models.CheckConstraint(
                condition=Q(preview=None)
                | Q(kind__in=SEEN_KINDS, checksum__gt="", previewed_at__isnull=False),
                name="annotate_part_preview_of_seen",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.position} of {self.item}"

    @property
    def is_inspected(self) -> bool:
        """True if its files were inspected: one without a type then could not be read."""
        return self.looked_at is not None

    @property
    def sources(self) -> list[MediaSource]:
        """The files or URLs of a medium, in the order they are tried."""
        return [MediaSource(self.path, self.type), *(MediaSource(**source) for source in self.also)]


class QuerySet(models.Model):
    """A named, frozen set of source items of one direction, perhaps with a gallery of targets.

    The field's word is "query set"; it has nothing to do with Django's class of that name.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="query_sets")
    name = models.CharField(max_length=60)
    direction = models.CharField(max_length=7, choices=Direction)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "direction", "name"], name="annotate_queryset_unique_name"
            ),
            models.CheckConstraint(
                condition=Q(direction__in=Direction.values),
                name="annotate_queryset_known_direction",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.direction})"


class QuerySetPart(models.TextChoices):
    """The place of an item in its query set: a source, or a target of the gallery."""

    SOURCE = "source"
    GALLERY = "gallery"


class QuerySetItem(models.Model):
    """One source item of a query set, or one target of its gallery."""

    Part: TypeAlias = QuerySetPart

    query_set = models.ForeignKey(QuerySet, models.CASCADE, related_name="members")
    item = models.ForeignKey(Item, models.CASCADE, related_name="+")
    part = models.CharField(max_length=7, choices=Part, default=Part.SOURCE)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["query_set", "item", "part"], name="annotate_querysetitem_unique"
            ),
            models.CheckConstraint(
                condition=Q(part__in=QuerySetPart.values), name="annotate_querysetitem_known_part"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item} in {self.query_set}"
