"""The page of a release: its data card, its files by folder, and its life."""

import re
from itertools import count
from typing import NamedTuple

from django.utils.safestring import SafeString

from annotate.core.phrases import counted
from annotate.markdown import Heading, headings, to_html
from annotate.models import User
from metrics.core.files.stretches import FileStretch
from metrics.models import Release, ReleaseEvent, ReleaseFile
from pooling.models import Run

DATA_CARD = "README.md"
SECTION = 2  # the level of headings that divide a data card


class AliasedRun(NamedTuple):
    """A run of a release by its alias; run : as the viewer may see it, else None."""

    alias: str
    run: Run | None


class DataCard(NamedTuple):
    """A data card for a page; html : without its front matter, which is for programs."""

    html: SafeString
    sections: list[Heading]


class ReleasePage(NamedTuple):
    """The contents of the page of a release; empty before it is made.

    has_archive : whether its files can be downloaded
    data_card : None once it was withdrawn
    """

    has_archive: bool
    data_card: DataCard | None
    files: list[ReleaseFile]
    events: list[ReleaseEvent]

    @property
    def files_text(self) -> str:
        """The number of files: "31 files"."""
        return counted(len(self.files), "file")


def release_page(*, release: Release) -> ReleasePage:
    """Read the page of a release: two queries, and its data card from its archive."""
    files = list(release.files.order_by("path"))
    events = list(release.events.select_related("by").order_by("pk"))
    has_archive = has_file(release=release)
    card = next((file for file in files if file.path == DATA_CARD), None)
    if card is None or not has_archive:
        return ReleasePage(has_archive, None, files, events)
    with FileStretch(release.open_archive(), card.offset, card.n_bytes) as stretch:
        return ReleasePage(has_archive, read_data_card(stretch.read()), files, events)


def read_data_card(content: bytes) -> DataCard:
    """Read the data card of a release from its file."""
    _, _, text = content.decode().removeprefix("---\n").partition("\n---\n")
    sections = [heading for heading in headings(text) if heading.level == SECTION]
    return DataCard(SafeString(with_scrolling_tables(to_html(text))), sections)


def aliased_runs(*, release: Release, viewer: User) -> list[AliasedRun]:
    """The runs of a release, so that its aliases mean something to members; two queries."""
    rows = list(release.runs.order_by("alias").values_list("alias", "run_key"))
    runs = Run.objects.visible_to(viewer).filter(collection=release.collection)
    by_key = runs.in_bulk([key for _, key in rows])
    return [AliasedRun(alias, by_key.get(key)) for alias, key in rows]


def with_scrolling_tables(html: str) -> str:
    """Return HTML whose tables, numbered, scroll where they are wider than the page.

    So does code, which keys can scroll too.
    """
    numbers = count(1)
    frames = re.sub(
        "<table>",
        lambda _: (
            '<div class="table-scroll" tabindex="0" role="region" '
            f'aria-label="Table {next(numbers)}"><table>'
        ),
        html,
    )
    return frames.replace("</table>", "</table></div>").replace("<pre>", '<pre tabindex="0">')


def has_file(*, release: Release) -> bool:
    """True if the release is made and not withdrawn, and its archive is in the store."""
    name = release.file.name or ""
    return name != "" and release.is_available and release.file.storage.exists(name)
