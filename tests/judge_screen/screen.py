"""Expectations about the judge screen, and the items and pairs of its tests."""

import io
import re
import wave
from collections.abc import Sized
from pathlib import Path

import numpy as np
from django.conf import settings
from playwright.sync_api import Page, expect

from annotate.models import Collection, Item, Judgment, Pair, Part, Side
from annotate.services import seating
from tests import campaigns
from tests.browsing import pass_time, wait_for_condition

N_PAIRS = 5
MEDIA = "**/c/*/media/**"  # addresses of media; scripts have a folder of this name too
SHAPES = Path(__file__).parents[2] / "demo" / "shapes" / "media"
PAGE = (
    "<h1>A red circle</h1><p>Two circles, one of them red, beside a square.</p>"
    "<script>document.title = 'x'</script>"
)


def is_medium(url: str) -> bool:
    """Whether this is the address of a medium of some collection."""
    return re.search(r"/c/[^/]+/media/", url) is not None


def expect_position(page: Page, number: int) -> None:
    """Wait until this card is on screen: the position alone may run ahead of the loaded cards."""
    expect(page.locator("#progress-text")).to_have_text(f"Batch 1 · {number} of {N_PAIRS}")
    expect(page.locator("#card")).to_be_visible()


def expect_saved(page: Page) -> None:
    """Wait until the screen says that everything is saved."""
    expect(page.locator("#saved")).to_have_text("Saved")


def wait_for_requests(page: Page, requests: Sized, n: int) -> None:
    """Let time pass until the browser has sent n requests."""
    wait_for_condition(page, lambda: len(requests) >= n or pass_time(page, 1))


def wait_for_frames(page: Page) -> None:
    """Wait until a clip's strip of frames is drawn; the page draws it when it is idle."""
    wait_for_condition(
        page, lambda: page.locator("#document .strip canvas").count() == 8 or pass_time(page, 0.001)
    )


def stored_grades() -> list[int]:
    """The stored grades in their order."""
    return list(Judgment.objects.order_by("pk").values_list("level__grade", flat=True))


def tone(seconds: float = 2.0) -> bytes:
    """A tone that swells, as a WAV file."""
    at = np.arange(int(8_000 * seconds), dtype="float32")
    samples = (20_000 * np.sin(at / 5) * at / len(at)).astype("<i2")
    stream = io.BytesIO()
    with wave.open(stream, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8_000)
        file.writeframes(samples.tobytes())
    return stream.getvalue()


def put_file(collection: Collection, name: str, content: bytes) -> str:
    """Store a media file of the collection; returns its path."""
    path = Path(settings.MEDIA_ROOT) / "collections" / collection.slug / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return name


def shape(collection: Collection, name: str) -> str:
    """Copy a picture or clip of the demo to the collection's media; returns its path."""
    return put_file(collection, name, (SHAPES / name).read_bytes())


def image(collection: Collection, name: str = "s001.webp") -> dict[str, object]:
    """A picture of the demo, as a part."""
    return {"kind": "image", "path": shape(collection, name)}


def video(collection: Collection, name: str = "s004.webm", **times: float) -> dict[str, object]:
    """A clip of the demo, as a part."""
    return {"kind": "video", "path": shape(collection, name), **times}


def recording(collection: Collection) -> dict[str, object]:
    """A tone, as a part."""
    return {"kind": "audio", "path": put_file(collection, "tone.wav", tone())}


def open_documents(
    collection: Collection,
    *documents: dict[str, object],
    query: str = "a red circle",
    warning: str = "",
) -> list[Pair]:
    """Open a round of one query and these documents, each a single part; closes all others."""
    query_item = _item(collection, Side.QUERY, "asked", {"kind": "text", "text": query})
    return _open_single_round(
        collection,
        [
            (query_item, _item(collection, Side.DOCUMENT, f"shown{i}", part, warning))
            for i, part in enumerate(documents)
        ],
    )


def open_queries(collection: Collection, *queries: dict[str, object]) -> list[Pair]:
    """Open a round of these queries, each a single part, and a text each; closes all others."""
    words = {"kind": "text", "text": "two circles"}
    return _open_single_round(
        collection,
        [
            (
                _item(collection, Side.QUERY, f"asked{i}", part),
                _item(collection, Side.DOCUMENT, f"shown{i}", words),
            )
            for i, part in enumerate(queries)
        ],
    )


def _item(
    collection: Collection, side: Side, name: str, part: dict[str, object], warning: str = ""
) -> Item:
    item = Item.objects.create(collection=collection, side=side, external_id=name, warning=warning)
    Part.objects.create(item=item, position=0, **part)
    return item


def _open_single_round(collection: Collection, items: list[tuple[Item, Item]]) -> list[Pair]:
    for round_ in collection.rounds.all():
        seating.close_round(round_=round_)
    pairs = [
        Pair.objects.create(collection=collection, query=query, document=document)
        for query, document in items
    ]
    campaigns.open_pool_round(collection, pairs, name="shown")
    return pairs
