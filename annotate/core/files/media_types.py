"""The media that cards show: kind and content type, by the ending of the file's name.

The types are ours: neither uploader nor the machine's tables decide on a file's type. SVG and
HTML are not among them, for they can carry scripts.
"""

from typing import NamedTuple


class MediaType(NamedTuple):
    """A type of media file: its kind (image, video or audio) and its content type."""

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
    """The endings of names of files of one kind."""
    return [ending for ending, known_type in MEDIA_TYPES.items() if known_type.kind == kind]


def media_type(path: str) -> MediaType | None:
    """The type of a file by its name's ending in any case; None for files that no card shows."""
    dot = path.rfind(".")
    return MEDIA_TYPES.get(path[dot:].lower()) if dot >= 0 else None
