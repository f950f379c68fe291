"""Frames of clips, drawn by the operator's ffmpeg in a process that can do no harm.

ffmpeg is a program of the operator's own, which the setting FFMPEG names; without it no frame is
drawn. Its readers and decoders are those of what cards play, chosen by the content of the file and
not by its name: no playlist is read, no address asked, and no other file opened. What it draws is
not trusted either: `thumbnails` draws it once more.
"""

import errno
from pathlib import Path

from django.conf import settings

from annotate.core.media.containers import boxes, matroska, ogg
from annotate.core.sandbox import run_sandboxed
from annotate.models import Preview
from annotate.services.pictures.frame_process import NOT_STARTED
from annotate.services.pictures.thumbnail_process import SIZE
from annotate.services.pictures.thumbnails import ProcessNotStarted

PROCESS = f"{__package__}.frame_process"
MEMORY = 1024 * 1024 * 1024  # bytes; one frame of 8K takes some 50 MB, and decoders keep several
SECONDS = 20  # of the processor
CLOCK_SECONDS = 40  # by the clock, for a machine that is busy with other things
MAX_BYTES = 2 * 3 * SIZE**2  # of a frame as PNG; one of noise takes half
FRAME_SECONDS = 0.1  # the very first frame is often black
_HEAD_BYTES = 8
_DECODERS = "h264,hevc,vp8,vp9,libdav1d,libaom-av1,av1,mpeg4,theora,prores"
# At most SIZE pixels wide and high, never enlarged, in the shape in which browsers show it.
_RATIO = f"min(1,{SIZE}/max(iw*sar,ih))"
_SCALE = f"scale=w='max(1,round(iw*sar*{_RATIO}))':h='max(1,round(ih*{_RATIO}))',setsar=1"
# Exit codes of ffmpeg are the system's error numbers, negative, in a byte; older ones say 1 to all.
_TOO_COSTLY = (-errno.ENOMEM % 256, -errno.EAGAIN % 256)  # the latter where no thread can begin
_UNREADABLE = tuple(-code % 256 for code in (errno.ENOENT, errno.EACCES, errno.EIO))
_BLOCK, _MOST_READ = 2**20, 2**30  # bytes; a larger clip is read so far


def draw_frame(*, clip: Path, start: float, target: Path) -> Preview.Reason | None:
    """Draw a clip's frame at a second as PNG into a file; return the reason where it cannot be.

    A little behind that second; of a clip that ends before, at that second. Raises OSError where
    the clip cannot be read just now, and ProcessNotStarted.
    """
    demuxer = demuxer_of(clip)
    if demuxer is None:
        return Preview.Reason.NO_CLIP
    for moment in (start + FRAME_SECONDS, start):
        run = run_sandboxed(
            PROCESS,
            arguments=[
                *(settings.FFMPEG, str(MEMORY), str(SECONDS)),
                *arguments_of(clip, demuxer=demuxer, moment=moment),
            ],
            max_bytes=MAX_BYTES,
            seconds=CLOCK_SECONDS,
        )
        if run.exit_code == NOT_STARTED:
            raise ProcessNotStarted
        if run.exit_code in _UNREADABLE:
            raise OSError(256 - run.exit_code, "ffmpeg cannot read the file", str(clip))
        if run.exit_code < 0 or run.exit_code in _TOO_COSTLY:
            return Preview.Reason.TOO_COSTLY
        if run.exit_code:
            break
        if run.output:
            target.write_bytes(run.output)
            return None
    _require_readable(clip)
    return Preview.Reason.DAMAGED


def _require_readable(clip: Path) -> None:
    """Raise OSError where a clip cannot be read: not every ffmpeg tells that from damage."""
    with clip.open("rb") as stream:
        while stream.tell() < _MOST_READ and stream.read(_BLOCK):
            pass


def demuxer_of(clip: Path) -> str | None:
    """Return ffmpeg's name of a clip's reader, by its first bytes; None for what cards do not play.

    Raises OSError.
    """
    with clip.open("rb") as stream:
        head = stream.read(_HEAD_BYTES)
    if head[4:] in boxes.FIRST:
        return "mov"
    if head.startswith(matroska.MAGIC):
        return "matroska"
    return "ogg" if head.startswith(ogg.MAGIC) else None


def arguments_of(clip: Path, *, demuxer: str, moment: float) -> list[str]:
    """Return ffmpeg's arguments for one frame as PNG on its output, from this file and no other.

    moment : in seconds
    """
    return [
        *("-nostdin", "-hide_banner", "-loglevel", "quiet"),
        *("-protocol_whitelist", "file", "-format_whitelist", "mov,matroska,ogg"),
        *("-codec_whitelist", _DECODERS),
        *("-threads", "1", "-f", demuxer),
        *(("-ss", f"{moment:.3f}") if moment else ()),  # not every file can be sought to 0
        *("-i", f"file:{clip}"),
        *("-map", "0:V:0", "-frames:v", "1", "-filter_threads", "1", "-vf", _SCALE),
        *("-threads", "1", "-c:v", "png", "-pix_fmt", "rgb24", "-f", "image2pipe", "pipe:1"),
    ]
