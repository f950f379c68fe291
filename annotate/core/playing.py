"""Which browsers do not play what, by its MIME type, and what it is in words.

The browsers are those that the product supports: Safari from 16.4, Chromium and Firefox from the spring of 2023. What
plays where is as caniuse.com and MDN ("Media container formats", "Web video codec guide", "Web audio codec guide") had
it in 2026, with the release notes of Safari 17.4 and 18.4, Chrome 123 and Firefox 126. Of VP8 in Ogg MDN says that
Firefox plays it; its OggDecoder knows none but Theora, Vorbis, Opus and FLAC, while Chromium's mime_util lists it.
"""

from collections.abc import Mapping
from typing import NamedTuple, TypeVar

MACS, PHONES, CHROMIUM, FIREFOX = "Safari on a Mac", "Safari on a phone", "Chromium", "Firefox"
SAFARI = frozenset({MACS, PHONES})
ALL = SAFARI | {CHROMIUM, FIREFOX}


class Limit(NamedTuple):
    """Where something does not play. browsers : those of which some version that is supported does not play it."""

    browsers: frozenset[str]
    where: str


NOWHERE = Limit(ALL, "play in no browser")
CONTAINERS = {
    "ogg": Limit(SAFARI, "play in Safari only from version 18.4"),
    "webm": Limit(frozenset({PHONES}), "play on iPhones and iPads only from iOS 17.4"),
    "matroska": Limit(SAFARI | {FIREFOX}, "play in neither Safari nor most versions of Firefox"),
    "quicktime": Limit(frozenset({CHROMIUM, FIREFOX}), "do not play in every version of Chrome and Firefox"),
    "x-msvideo": NOWHERE, "x-flv": NOWHERE, "x-ms-asf": NOWHERE, "mpeg": NOWHERE,
    "mp2t": Limit(frozenset({CHROMIUM, FIREFOX}), "play in neither Chrome nor Firefox"),
}  # fmt: skip
# By the codec, or where that says less than needed by its first two parts, or by container and codec.
CODECS = {
    "theora": Limit(ALL, "play in no Safari, in Chrome only up to version 122 and in Firefox up to 125"),
    "ogg/vp8": Limit(SAFARI | {FIREFOX}, "play in neither Safari nor Firefox"),
    "dirac": NOWHERE, "speex": NOWHERE, "pcm": NOWHERE,
    "av01": Limit(SAFARI, "play in Safari only from version 17 on newer machines (iPhone 15 Pro, Macs with M3)"),
    "hvc1": Limit(frozenset({CHROMIUM, FIREFOX}), "do not play in Chrome and Firefox on many machines"),
    "mp4v": Limit(frozenset({CHROMIUM, FIREFOX}), "play in neither Chrome nor Firefox"),
    "ac-3": Limit(frozenset({CHROMIUM, FIREFOX}), "have no sound in Chrome and Firefox"),
    "alac": Limit(frozenset({CHROMIUM, FIREFOX}), "do not play in Chrome and Firefox"),
}  # fmt: skip
for _name, _like in (("hev1", "hvc1"), ("ec-3", "ac-3"), ("apch", "mp4v"), ("apcn", "mp4v"), ("ap4h", "mp4v")):
    CODECS[_name] = CODECS[_like]
CODECS["mp4a.a5"] = CODECS["mp4a.a6"] = CODECS["ac-3"]
_MPEG_2 = tuple(f"mp4v.6{profile}" for profile in range(6))
CODECS |= dict.fromkeys((*_MPEG_2, "mp4v.6a"), NOWHERE)
_CALLED = {
    "webm": "WebM", "mp4": "MP4", "ogg": "Ogg", "wav": "WAV", "mpeg": "MPEG", "matroska": "Matroska",
    "quicktime": "QuickTime", "x-msvideo": "AVI", "x-flv": "Flash Video", "x-ms-asf": "Windows Media", "flac": "FLAC",
    "aac": "AAC", "mp2t": "MPEG-TS", "vp8": "VP8", "vp9": "VP9", "vp09": "VP9", "av01": "AV1", "avc1": "H.264",
    "avc3": "H.264", "hvc1": "HEVC", "hev1": "HEVC", "mp4v": "MPEG-4 Part 2", "mp4a": "AAC", "theora": "Theora",
    "opus": "Opus", "vorbis": "Vorbis", "mp3": "MP3", "ac-3": "AC-3", "ec-3": "E-AC-3", "alac": "ALAC",
    "speex": "Speex", "apch": "ProRes", "apcn": "ProRes", "ap4h": "ProRes", "mp4a.69": "MP3", "mp4a.6b": "MP3",
    "mp4a.a5": "AC-3", "mp4a.a6": "E-AC-3", "mp4v.6a": "MPEG-1", **dict.fromkeys(_MPEG_2, "MPEG-2"),
}  # fmt: skip
_Entry = TypeVar("_Entry")


def container_of(mime: str) -> str:
    """The second half of a MIME type; "" of none."""
    return mime.partition(";")[0].partition("/")[2].strip().lower()


def codecs_of(mime: str) -> list[str]:
    """The codecs that a MIME type names."""
    _, _, named = mime.partition("codecs=")
    return [codec.strip() for codec in named.strip().strip('"').split(",") if codec.strip()]


def what(mime: str) -> str:
    """What it is in words, such as "Ogg, Theora"; "" where nobody knows."""
    container = container_of(mime)
    if container == "mpeg" and mime.startswith("audio/"):
        return "MP3"
    names = [_CALLED.get(container, container), *(_called(codec) for codec in codecs_of(mime))]
    return ", ".join(name for name in dict.fromkeys(names) if name)


def _called(codec: str) -> str:
    return _entry(_CALLED, codec) or codec.partition(".")[0].lower()


def _entry(table: Mapping[str, _Entry], codec: str, container: str = "") -> _Entry | None:
    """What a table has of a codec, at the narrowest of its keys."""
    name, _, rest = codec.lower().partition(".")
    keys = (f"{container}/{name}", f"{name}.{rest.partition('.')[0]}", name)
    return next((table[key] for key in keys if key in table), None)


def offered(mime: str) -> str:
    """The type as a browser is asked about it; "" where its answer would say less than a try.

    Chrome and Firefox play QuickTime files that hold what an MP4 may hold, and of Matroska deny what they play.
    """
    container = container_of(mime)
    if container == "matroska":
        return ""
    return mime.replace("/quicktime", "/mp4", 1) if container == "quicktime" else mime


def limit_of(mime: str) -> Limit | None:
    """Where a type does not play; None where it plays everywhere, or nobody knows."""
    container = container_of(mime)
    limits = [limit for codec in codecs_of(mime) if (limit := _entry(CODECS, codec, container))]
    if container in CONTAINERS and not (container == "mpeg" and mime.startswith("audio/")):
        limits.append(CONTAINERS[container])
    # of several the one that bites most; at equal strength what was named first, the picture's codec
    return max(limits, key=lambda limit: len(limit.browsers), default=None)


def plays_somewhere(codec: str, container: str) -> bool:
    """Whether a codec plays in some browser, as far as anybody knows."""
    return _entry(CODECS, codec, container) is not NOWHERE
