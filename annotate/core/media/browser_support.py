"""Browsers' support of media formats by MIME type, and the formats' names.

The browsers are those that the product supports: Safari from 16.4, Chromium and Firefox from the
spring of 2023. The sources are caniuse.com and MDN ("Media container formats", "Web video codec
guide", "Web audio codec guide") of 2026, with the release notes of Safari 17.4 and 18.4, Chrome 123
and Firefox 126. MDN says that Firefox plays VP8 in Ogg; its OggDecoder knows none but Theora,
Vorbis, Opus and FLAC, while Chromium's mime_util lists it.
"""

from collections.abc import Mapping
from typing import NamedTuple, TypeVar

MACS, PHONES, CHROMIUM, FIREFOX = "Safari on a Mac", "Safari on a phone", "Chromium", "Firefox"
SAFARI = frozenset({MACS, PHONES})
ALL = SAFARI | {CHROMIUM, FIREFOX}


class PlaybackLimit(NamedTuple):
    """A limit of playback.

    browsers : those of which some supported version does not play the format.
    """

    browsers: frozenset[str]
    where: str


NOWHERE = PlaybackLimit(ALL, "play in no browser")
CONTAINERS = {
    "ogg": PlaybackLimit(SAFARI, "play in Safari only from version 18.4"),
    "webm": PlaybackLimit(frozenset({PHONES}), "play on iPhones and iPads only from iOS 17.4"),
    "matroska": PlaybackLimit(
        SAFARI | {FIREFOX}, "play in neither Safari nor most versions of Firefox"
    ),
    "quicktime": PlaybackLimit(
        frozenset({CHROMIUM, FIREFOX}), "do not play in every version of Chrome and Firefox"
    ),
    "x-msvideo": NOWHERE,
    "x-flv": NOWHERE,
    "x-ms-asf": NOWHERE,
    "mpeg": NOWHERE,
    "mp2t": PlaybackLimit(frozenset({CHROMIUM, FIREFOX}), "play in neither Chrome nor Firefox"),
}
# Keys are the codec; its first two parts where the codec says too little; or container and codec.
CODECS = {
    "theora": PlaybackLimit(
        ALL, "play in no Safari, in Chrome only up to version 122 and in Firefox up to 125"
    ),
    "ogg/vp8": PlaybackLimit(SAFARI | {FIREFOX}, "play in neither Safari nor Firefox"),
    "dirac": NOWHERE,
    "speex": NOWHERE,
    "pcm": NOWHERE,
    "av01": PlaybackLimit(
        SAFARI,
        "play in Safari only from version 17 on newer machines (iPhone 15 Pro, Macs with M3)",
    ),
    "hvc1": PlaybackLimit(
        frozenset({CHROMIUM, FIREFOX}), "do not play in Chrome and Firefox on many machines"
    ),
    "mp4v": PlaybackLimit(frozenset({CHROMIUM, FIREFOX}), "play in neither Chrome nor Firefox"),
    "ac-3": PlaybackLimit(frozenset({CHROMIUM, FIREFOX}), "have no sound in Chrome and Firefox"),
    "alac": PlaybackLimit(frozenset({CHROMIUM, FIREFOX}), "do not play in Chrome and Firefox"),
}
for _name, _like in (
    ("hev1", "hvc1"),
    ("ec-3", "ac-3"),
    ("apch", "mp4v"),
    ("apcn", "mp4v"),
    ("ap4h", "mp4v"),
):
    CODECS[_name] = CODECS[_like]
CODECS["mp4a.a5"] = CODECS["mp4a.a6"] = CODECS["ac-3"]
_MPEG_2 = tuple(f"mp4v.6{profile}" for profile in range(6))
CODECS |= dict.fromkeys((*_MPEG_2, "mp4v.6a"), NOWHERE)
_FORMAT_NAMES = {
    "webm": "WebM",
    "mp4": "MP4",
    "ogg": "Ogg",
    "wav": "WAV",
    "mpeg": "MPEG",
    "matroska": "Matroska",
    "quicktime": "QuickTime",
    "x-msvideo": "AVI",
    "x-flv": "Flash Video",
    "x-ms-asf": "Windows Media",
    "flac": "FLAC",
    "aac": "AAC",
    "mp2t": "MPEG-TS",
    "vp8": "VP8",
    "vp9": "VP9",
    "vp09": "VP9",
    "av01": "AV1",
    "avc1": "H.264",
    "avc3": "H.264",
    "hvc1": "HEVC",
    "hev1": "HEVC",
    "mp4v": "MPEG-4 Part 2",
    "mp4a": "AAC",
    "theora": "Theora",
    "opus": "Opus",
    "vorbis": "Vorbis",
    "mp3": "MP3",
    "ac-3": "AC-3",
    "ec-3": "E-AC-3",
    "alac": "ALAC",
    "speex": "Speex",
    "apch": "ProRes",
    "apcn": "ProRes",
    "ap4h": "ProRes",
    "mp4a.69": "MP3",
    "mp4a.6b": "MP3",
    "mp4a.a5": "AC-3",
    "mp4a.a6": "E-AC-3",
    "mp4v.6a": "MPEG-1",
    **dict.fromkeys(_MPEG_2, "MPEG-2"),
}
_Entry = TypeVar("_Entry")


def container_of(mime: str) -> str:
    """The second half of a MIME type; "" if there is none."""
    return mime.partition(";")[0].partition("/")[2].strip().lower()


def codecs_of(mime: str) -> list[str]:
    """The codecs in a MIME type."""
    _, _, codec_list = mime.partition("codecs=")
    return [codec.strip() for codec in codec_list.strip().strip('"').split(",") if codec.strip()]


def format_names(mime: str) -> str:
    """The names of container and codecs, such as "Ogg, Theora"; "" where unknown."""
    container = container_of(mime)
    if container == "mpeg" and mime.startswith("audio/"):
        return "MP3"
    names = [
        _FORMAT_NAMES.get(container, container),
        *(
            _entry(_FORMAT_NAMES, codec) or codec.partition(".")[0].lower()
            for codec in codecs_of(mime)
        ),
    ]
    return ", ".join(name for name in dict.fromkeys(names) if name)


def _entry(table: Mapping[str, _Entry], codec: str, container: str = "") -> _Entry | None:
    """The table's entry for a codec, at its narrowest key; None without one."""
    name, _, parameters = codec.lower().partition(".")
    keys = (f"{container}/{name}", f"{name}.{parameters.partition('.')[0]}", name)
    return next((table[key] for key in keys if key in table), None)


def browser_query_type(mime: str) -> str:
    """The type to ask a browser about; "" where a try tells more than its answer.

    Chrome and Firefox play QuickTime files that hold what an MP4 may hold, and of Matroska deny
    what they play.
    """
    container = container_of(mime)
    if container == "matroska":
        return ""
    return mime.replace("/quicktime", "/mp4", 1) if container == "quicktime" else mime


def playback_limit(mime: str) -> PlaybackLimit | None:
    """The limit of a type's playback; None where it plays everywhere, or is unknown."""
    container = container_of(mime)
    limits = [limit for codec in codecs_of(mime) if (limit := _entry(CODECS, codec, container))]
    if container in CONTAINERS and not (container == "mpeg" and mime.startswith("audio/")):
        limits.append(CONTAINERS[container])
    # the limit with the most browsers; among equals the first one, the picture's codec
    return max(limits, key=lambda limit: len(limit.browsers), default=None)


def plays_somewhere(codec: str, container: str) -> bool:
    """True if a codec plays in some browser, as far as is known."""
    return _entry(CODECS, codec, container) is not NOWHERE
