"""The picture of an item in lists, by which people know it again."""

from typing import NamedTuple

from django.urls import reverse
from django.utils.text import Truncator

from annotate.http import sources_json
from annotate.markdown import page_text
from annotate.models import Item, Part
from annotate.services.pictures.frames import FRAME_SECONDS

N_LETTERS = 160  # two lines of a wide row
MAX_HTML = 20_000  # letters of a page in which its first words are looked for


class FrameSource(NamedTuple):
    """A source of a clip, with the moment of the frame that is shown."""

    url: str
    type: str


class ItemPicture(NamedTuple):
    """An item in a list: its picture or the mark of its kind, and its first words.

    kind : of the part that is pictured; "" for an item without parts
    url : of the preview; "" where there is none
    sources : of a clip, whose own frame the browser shows where there is no preview
    """

    item: Item
    kind: str
    url: str
    sources: list[FrameSource]
    words: str

    @property
    def is_media(self) -> bool:
        """True if a picture or a mark stands beside the words."""
        return self.kind not in ("", Part.Kind.TEXT, Part.Kind.HTML)

    @property
    def alternative(self) -> str:
        """The text in place of the picture."""
        return f"{Part.Kind(self.kind).label} of {self.item.external_id}"

    @property
    def frame_json(self) -> dict[str, object] | None:
        """JSON of the picture alone, for the judge screen; None where there is none.

        Not the item's id, which might tell annotators something.
        """
        if not self.is_media:
            return None
        sources = [source._asdict() for source in self.sources]
        return {"kind": self.kind, "url": self.url, "sources": sources}

    @property
    def caption(self) -> str:
        """Its first words, else what it is."""
        return self.words or (Part.Kind(self.kind).label if self.kind else "")


def picture_of(item: Item, slug: str) -> ItemPicture:
    """Return the picture of an item whose parts were fetched; no query.

    An item with a content warning is shown by the mark of its kind.
    """
    parts = list(item.parts.all())
    media = [part for part in parts if not part.text]
    seen_media = [part for part in media if part.kind != Part.Kind.AUDIO]
    shown_part = next(iter([*seen_media, *media]), None)
    words = next((words_of(part) for part in parts if part.text), "")
    if shown_part is None:
        return ItemPicture(item, parts[0].kind if parts else "", "", [], words)
    is_hidden = bool(item.warning)
    url = "" if is_hidden else preview_url(shown_part, slug)
    sources = [] if is_hidden else frame_sources(shown_part, slug)
    return ItemPicture(item, shown_part.kind, url, sources, words)


def words_of(part: Part) -> str:
    """Return the first words of a text or page."""
    is_page = part.kind == Part.Kind.HTML
    text = page_text(part.text[:MAX_HTML]) if is_page else part.text[: 2 * N_LETTERS]
    return Truncator(" ".join(text.split())).chars(N_LETTERS)


def preview_url(part: Part, slug: str) -> str:
    """Return the address of a part's preview; "" where it has none."""
    if part.preview_id is None:
        return ""
    return reverse("annotate:part-preview", args=[slug, part.pk, part.preview_id])


def frame_sources(part: Part, slug: str) -> list[FrameSource]:
    """Return the sources of a clip, each at the moment that is shown; none of other parts."""
    if part.kind != Part.Kind.VIDEO:
        return []
    moment = (part.start or 0) + FRAME_SECONDS
    return [
        FrameSource(f"{source['url']}#t={moment:g}", source["type"])
        for source in sources_json(part, slug)
    ]
