"""Previews of a collection's images, made by turns of a worker once their checksums are known.

Of its clips too, behind the images, where the operator has an ffmpeg: of the frame that lists show.
The sweep sends a worker until none are left, after a load and in an installation that was here
before. Equal images share one; an image that fails is noted with the reason and not tried again,
unless an operator asks for it (`redrawing`). A file that is absent or cannot be read just now is: a
disk may be away for a minute.
Addresses that somebody wrote into a file are never fetched: such images have no preview. The cache
entries are throw-away: without them such files are tried again sooner.
"""

import io
import logging
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple, cast

from django.conf import settings
from django.core.cache import cache
from django.db import connection, transaction

from annotate.core.files.archives.ranged_files import RangedFile, UnreachableFile
from annotate.models import Collection, Part, Preview
from annotate.services.background import progress
from annotate.services.background.workers import try_lock_subject
from annotate.services.collection.media import locate_medium
from annotate.services.pictures.frames import draw_frame
from annotate.services.pictures.thumbnails import UNREADABLE, Thumbnail, thumbnails

log = logging.getLogger(__name__)

TURN_SECONDS = 60
AT_ONCE = 50  # images that one process draws, and whose previews are stored together
MOST_UNANSWERED = 3  # files in a row without an answer, after which the bucket counts as away
REST_SECONDS = 600  # before files that were left for later are tried again
KEPT_SECONDS = 86_400
BUCKET_BLOCK = 2**20
MAX_BUCKET_BYTES = 64 * BUCKET_BLOCK  # as many blocks as a RangedFile fetches
# A part that a load has locked is left for the next turn: each would wait for the other.
_LINK = """
    UPDATE annotate_part SET preview_id = drawn.preview, previewed_at = clock_timestamp()
    FROM (SELECT part.id, CASE WHEN preview.reason = '' THEN preview.id END AS preview
          FROM annotate_part part JOIN annotate_preview preview
            ON preview.checksum = part.checksum AND preview.start IS NOT DISTINCT FROM
              CASE WHEN part.kind = 'video' THEN coalesce(part.start, 0) END
          WHERE part.id = ANY(%(parts)s) AND preview.collection_id = %(collection)s
            AND part.previewed_at IS NULL
          FOR NO KEY UPDATE OF part SKIP LOCKED) drawn
    WHERE annotate_part.id = drawn.id
"""


class Subject(NamedTuple):
    """A subject of a preview: the content of an image, or that of a clip from a second on.

    start : None for an image
    """

    checksum: str
    start: float | None


class ImageFiles:
    """The files of a collection's images on this machine; those of a bucket are copied to a folder.

    Of a clip the frame that was drawn into that folder.
    until : moment at which the turn is over
    n_unanswered : number of files in a row that the bucket did not give
    """

    def __init__(self, collection: Collection, folder: Path, until: float) -> None:
        self.collection = collection
        self.folder = folder
        self.until = until
        self.n_unanswered = 0

    def file_of(self, part: Part) -> Path | Preview.Reason | None:
        """Return the file, or the reason why there is none; None if it is left for later.

        Raises ProcessNotStarted.
        """
        location: Path | str | Preview.Reason | None
        try:
            location = locate_medium(collection=self.collection, path=part.path)
            if isinstance(location, str):
                location = self._copy(location, part)
            if isinstance(location, Path) and part.kind == Part.Kind.VIDEO:
                location = self._frame(location, part)
        except UnreachableFile as error:
            log.warning("The bucket of %s does not give %s: %s", self.collection, part.path, error)
            self.n_unanswered += 1
            return None
        except OSError as error:
            log.warning("%s of %s cannot be read: %s", part.path, self.collection, error)
            return None
        if location is None:
            log.info("%s of %s is not there", part.path, self.collection)
        return location

    def _copy(self, address: str, part: Part) -> Path | Preview.Reason:
        try:
            file = RangedFile(address, progress.clock, block_size=BUCKET_BLOCK)
        except OSError:  # a final answer: the bucket has no such file
            self.n_unanswered = 0
            return Preview.Reason.MISSING
        self.n_unanswered = 0
        if file.size > MAX_BUCKET_BYTES:
            return Preview.Reason.TOO_LARGE
        copy = self.folder / str(part.pk)
        with copy.open("wb") as target:
            shutil.copyfileobj(io.BufferedReader(file, BUCKET_BLOCK), target)
        return copy

    def _frame(self, clip: Path, part: Part) -> Path | Preview.Reason:
        frame = self.folder / f"{part.pk}.png"
        reason = draw_frame(clip=clip, start=part.start or 0, target=frame)
        if clip.parent == self.folder:  # a copy, of which fifty would fill a disk
            clip.unlink()
        return reason or frame


def take_turn(*, collection: Collection) -> int:
    """Make previews for about a minute; return of how many images, 0 while the collection rests.

    One worker at a time does. The turn ends behind the image that is at hand by then. A file
    that is left for later is skipped, and the next turn begins after it. Raises ProcessNotStarted,
    and then stores nothing of the images at hand.
    """
    with try_lock_subject("preview", collection.pk) as is_ours:
        if not is_ours or cache.get(rest_key(collection.pk)):
            return 0
        return _turn(collection)


def _turn(collection: Collection) -> int:
    until = progress.clock() + TURN_SECONDS
    n_made, n_unanswered, is_over = 0, 0, False
    for kind in pictured_kinds():
        last_pk = cache.get(_position_key(collection.pk, kind)) or 0
        waiting_parts = Part.objects.without_preview(kind).filter(item__collection=collection)
        while not is_over and (
            parts := list(waiting_parts.filter(pk__gt=last_pk).order_by("pk")[:AT_ONCE])
        ):
            with tempfile.TemporaryDirectory() as folder:
                files = ImageFiles(collection, Path(folder), until)
                files.n_unanswered = n_unanswered
                n_more, last_pk = make_previews(parts=parts, files=files)
                n_made += n_more
                n_unanswered = files.n_unanswered
            is_over = n_unanswered >= MOST_UNANSWERED or progress.clock() >= until
        if is_over:
            cache.set(_position_key(collection.pk, kind), last_pk, KEPT_SECONDS)
        else:
            cache.delete(_position_key(collection.pk, kind))
    if n_unanswered >= MOST_UNANSWERED or (not is_over and _has_waiting(collection)):
        cache.set(rest_key(collection.pk), True, REST_SECONDS)
    return n_made


def make_previews(*, parts: Sequence[Part], files: ImageFiles) -> tuple[int, int]:
    """Make the previews of some images of a collection, or of some clips, or note why not.

    Until the turn is over, but at least of the first. Returns of how many, and the key of the last
    that was tried. Raises ProcessNotStarted.
    """
    collection = files.collection
    stored_previews = Preview.objects.filter(
        collection=collection, checksum__in={part.checksum for part in parts}
    )
    stored_subjects = set(stored_previews.values_list("checksum", "start"))
    path_by_subject: dict[Subject, Path] = {}
    thumbnail_by_subject: dict[Subject, Thumbnail] = {}
    late_subjects: set[Subject] = set()  # those that the turn leaves for the next
    for number, (subject, part) in enumerate({subject_of(part): part for part in parts}.items()):
        if subject in stored_subjects or files.n_unanswered >= MOST_UNANSWERED:
            continue
        if number and progress.clock() >= files.until:
            late_subjects.add(subject)
            continue
        location = files.file_of(part)
        if isinstance(location, Path):
            path_by_subject[subject] = location
        elif location is not None:
            thumbnail_by_subject[subject] = Thumbnail(b"", 0, 0, location)
    with closing(thumbnails(list(path_by_subject.values()))) as drawn_thumbnails:
        for subject, thumbnail in zip(path_by_subject, drawn_thumbnails, strict=False):
            thumbnail_by_subject[subject] = thumbnail
            # frames of clips are small, and their clips would be read again
            if subject.start is None and progress.clock() >= files.until:
                break
    late_subjects |= path_by_subject.keys() - thumbnail_by_subject.keys()
    parts = list(takewhile(lambda part: subject_of(part) not in late_subjects, parts))
    for subject, thumbnail in list(thumbnail_by_subject.items()):
        if thumbnail.reason == UNREADABLE:
            log.warning("%s of %s cannot be read", subject.checksum, collection)
            del thumbnail_by_subject[subject]
        elif thumbnail.reason:
            log.info("%s of %s: no preview, %s", subject.checksum, collection, thumbnail.reason)
    return _store(collection, parts, thumbnail_by_subject), parts[-1].pk


def _store(
    collection: Collection, parts: Sequence[Part], thumbnail_by_subject: Mapping[Subject, Thumbnail]
) -> int:
    """Store thumbnails and link parts to what is stored; return of how many parts."""
    with transaction.atomic(), connection.cursor() as cursor:
        Preview.objects.bulk_create(
            Preview(collection=collection, **subject._asdict(), **thumbnail._asdict())
            for subject, thumbnail in thumbnail_by_subject.items()
        )
        cursor.execute(_LINK, {"parts": [part.pk for part in parts], "collection": collection.pk})
        return cursor.rowcount


def pictured_kinds() -> list[Part.Kind]:
    """Return the kinds of parts that get previews here: clips where there is an ffmpeg."""
    return [Part.Kind.IMAGE, *([Part.Kind.VIDEO] if settings.FFMPEG else [])]


def subject_of(part: Part) -> Subject:
    """Return the subject of the preview of a part with a checksum."""
    start = (part.start or 0) if part.kind == Part.Kind.VIDEO else None
    return Subject(cast(str, part.checksum), start)


def overdue() -> list[int]:
    """Return the keys of collections with images or clips that wait, except those that rest."""
    collection_by_key = {
        rest_key(pk): pk
        for kind in pictured_kinds()
        for (pk,) in Part.objects.without_preview(kind)
        .order_by()
        .values_list("item__collection")
        .distinct()
    }
    resting_keys = cache.get_many(collection_by_key)
    return sorted(pk for key, pk in collection_by_key.items() if key not in resting_keys)


def _has_waiting(collection: Collection) -> bool:
    return any(
        Part.objects.without_preview(kind).filter(item__collection=collection).exists()
        for kind in pictured_kinds()
    )


def _position_key(pk: int, kind: str) -> str:
    """Return the cache key of the part after which the collection's next turn begins."""
    return f"preview-position:{pk}:{kind}"


def rest_key(pk: int) -> str:
    """Return the cache key that exists while a collection rests."""
    return f"preview-rest:{pk}"
