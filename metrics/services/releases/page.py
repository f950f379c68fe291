"""The page of a release: its data card, its files by folder, and its life."""

from typing import NamedTuple

from django.utils.safestring import SafeString

from annotate.markdown import to_html
from metrics.core.files.stretches import Stretch
from metrics.models import Release, ReleaseEvent, ReleaseFile

DATA_CARD = "README.md"


class ReleasePage(NamedTuple):
    """What a page shows of a release; empty before it is made.

    data_card : as HTML; empty once it was withdrawn
    """

    data_card: SafeString
    files: list[ReleaseFile]
    events: list[ReleaseEvent]


def release_page(*, release: Release) -> ReleasePage:
    """Read the page of a release: two queries, and its data card from its archive."""
    files = list(release.files.order_by("path"))
    events = list(release.events.select_related("by").order_by("pk"))
    card = next((file for file in files if file.path == DATA_CARD), None)
    if card is None or not release.is_available:
        return ReleasePage(SafeString(""), files, events)
    with Stretch(release.file.open("rb"), card.offset, card.n_bytes) as stretch:
        _, _, text = stretch.read().decode().removeprefix("---\n").partition("\n---\n")
    return ReleasePage(to_html(text), files, events)
