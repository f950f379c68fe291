"""The media that are shown: by the end of the file's name, what kind it is and the type it is served as.

The types are ours: neither the uploader nor the machine's own tables decide what a browser takes a file for. SVG and
HTML are not among them, for they can carry scripts.
"""

from typing import NamedTuple


class MediaType(NamedTuple):
    """What one kind of file is: image, video or audio, and its content type."""

    kind: str
    content_type: str


MEDIA_TYPES = {
    ".jpg": MediaType("image", "image/jpeg"),
    ".jpeg": MediaType("image", "image/jpeg"),
    ".png": MediaType("image", "image/png"),
    ".webp": MediaType("image", "image/webp"),
    ".gif": MediaType("image", "image/gif"),
    ".avif": MediaType("image", "image/avif"),
    ".mp4": MediaType("video", "video/mp4"),
    ".m4v": MediaType("video", "video/mp4"),
    ".webm": MediaType("video", "video/webm"),
    ".ogv": MediaType("video", "video/ogg"),
    ".mov": MediaType("video", "video/quicktime"),
    ".mkv": MediaType("video", "video/matroska"),
    ".avi": MediaType("video", "video/x-msvideo"),
    ".mp3": MediaType("audio", "audio/mpeg"),
    ".m4a": MediaType("audio", "audio/mp4"),
    ".ogg": MediaType("audio", "audio/ogg"),
    ".oga": MediaType("audio", "audio/ogg"),
    ".opus": MediaType("audio", "audio/ogg"),
    ".wav": MediaType("audio", "audio/wav"),
    ".flac": MediaType("audio", "audio/flac"),
}


def endings(kind: str) -> list[str]:
    """The ends of names that files of a kind have."""
    return [ending for ending, known in MEDIA_TYPES.items() if known.kind == kind]


def media_type(path: str) -> MediaType | None:
    """What the file is, by the end of its name in any case; None for what is not shown."""
    dot = path.rfind(".")
    return MEDIA_TYPES.get(path[dot:].lower()) if dot >= 0 else None
