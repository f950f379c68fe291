"""Which browsers do not play what: a part's sources, and what the lead is told of them.

The browsers are those that the product supports: Safari from 16.4, Chromium and Firefox from the spring of 2023. What
plays where is as caniuse.com and MDN ("Media container formats", "Web video codec guide", "Web audio codec guide") had
it in 2026, with the release notes of Safari 17.4 and 18.4, Chrome 123 and Firefox 126.
"""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

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
}  # fmt: skip
CODECS = {
    "theora": Limit(ALL, "play in no Safari, in Chrome only up to version 122 and in Firefox up to 125"),
    "dirac": NOWHERE, "speex": NOWHERE, "pcm": NOWHERE,
    "av01": Limit(SAFARI, "play in Safari only from version 17 on newer machines (iPhone 15 Pro, Macs with M3)"),
    "hvc1": Limit(frozenset({CHROMIUM, FIREFOX}), "do not play in Chrome and Firefox on many machines"),
    "mp4v": Limit(frozenset({CHROMIUM, FIREFOX}), "play in neither Chrome nor Firefox"),
    "ac-3": Limit(frozenset({CHROMIUM, FIREFOX}), "have no sound in Chrome and Firefox"),
    "alac": Limit(frozenset({CHROMIUM, FIREFOX}), "do not play in Chrome and Firefox"),
}  # fmt: skip
for _name, _like in (("hev1", "hvc1"), ("ec-3", "ac-3"), ("apch", "mp4v"), ("apcn", "mp4v"), ("ap4h", "mp4v")):
    CODECS[_name] = CODECS[_like]
_CALLED = {
    "webm": "WebM", "mp4": "MP4", "ogg": "Ogg", "wav": "WAV", "mpeg": "MPEG", "matroska": "Matroska",
    "quicktime": "QuickTime", "x-msvideo": "AVI", "x-flv": "Flash Video", "x-ms-asf": "Windows Media", "flac": "FLAC",
    "aac": "AAC", "vp8": "VP8", "vp9": "VP9", "vp09": "VP9", "av01": "AV1", "avc1": "H.264", "avc3": "H.264",
    "hvc1": "HEVC", "hev1": "HEVC", "mp4v": "MPEG-4 Part 2", "mp4a": "AAC", "theora": "Theora", "opus": "Opus",
    "vorbis": "Vorbis", "mp3": "MP3", "ac-3": "AC-3", "ec-3": "E-AC-3", "alac": "ALAC", "speex": "Speex",
    "apch": "ProRes", "apcn": "ProRes", "ap4h": "ProRes",
}  # fmt: skip
_MP3 = ("mp4a.69", "mp4a.6b")
_ADVICE = {"video": "an MP4 (H.264, AAC)", "audio": "an MP3 or an M4A (AAC)"}
_NOUNS = {"video": ("clip", "clips"), "audio": ("recording", "recordings")}


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
    name = codec.partition(".")[0].lower()
    return "MP3" if codec.lower() in _MP3 else _CALLED.get(name, name)


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
    limits = [CODECS[name] for codec in codecs_of(mime) if (name := codec.partition(".")[0].lower()) in CODECS]
    container = container_of(mime)
    if container in CONTAINERS and not (container == "mpeg" and mime.startswith("audio/")):
        limits.append(CONTAINERS[container])
    # of several the one that bites most; at equal strength what was named first, the picture's codec
    return max(limits, key=lambda limit: len(limit.browsers), default=None)


class Doubt(NamedTuple):
    """Parts of one kind and type that do not play everywhere, and have no other source that does.

    kind : video or audio; n : how many of all `of` of that kind
    """

    kind: str
    what: str
    where: str
    n: int
    of: int

    def __str__(self) -> str:
        one, many = _NOUNS[self.kind]
        are = "is" if self.n == 1 else "are"
        # "play" and "have" of many, "plays" and "has" of one
        where = self.where
        if self.n == 1:
            verb, _, rest = where.partition(" ")
            where = f"{ {'play': 'plays', 'do': 'does', 'have': 'has'}[verb] } {rest}"
        they, them = ("it", "it") if self.n == 1 else ("they", "them")
        return (
            f"{self.n:,} of {self.of:,} {one if self.of == 1 else many} {are} {self.what}: {they} {where}. "
            f"Add {_ADVICE[self.kind]} beside {them}."
        )


def doubts(parts: Iterable[tuple[str, tuple[str, ...], int]]) -> list[Doubt]:
    """What does not play where, the most parts first.

    parts : kind (video or audio), the types of the sources in their order ("" for one not known), and how many parts
        are so
    A part is in doubt where some browser plays none of its sources; what is told of it is the source that plays in the
    most. Nothing is told of a part with a source that is not known.
    """
    of: Counter[str] = Counter()
    found: Counter[tuple[str, str, str]] = Counter()
    for kind, mimes, n in parts:
        of[kind] += n
        limits = [(limit, mime) for mime in mimes if mime and (limit := limit_of(mime))]
        if len(limits) == len(mimes) and frozenset.intersection(*(limit.browsers for limit, _ in limits)):
            limit, mime = min(limits, key=lambda each: len(each[0].browsers))
            found[kind, what(mime), limit.where] += n
    return [Doubt(*key, n, of[key[0]]) for key, n in sorted(found.items(), key=lambda row: (-row[1], row[0]))]
