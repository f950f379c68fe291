"""Types of clips and recordings, from the heads of their files; other files raise nothing."""

import io
import random
import struct
from pathlib import Path

import pytest

from annotate.core.media.containers import bounded_file, codecs
from annotate.core.media.containers.detection import detect_medium
from tests import clips
from tests.sizes import seeds

SHAPES = Path(__file__).parents[5] / "demo" / "shapes" / "media"
VIDEO = [
    ("webm", "libvpx", "libopus", 'video/webm; codecs="vp8, opus"'),
    ("webm", "libvpx-vp9", "", 'video/webm; codecs="vp9"'),
    ("mp4", "libx264", "aac", 'video/mp4; codecs="avc1.64000a, mp4a.40.2"'),
    ("mp4", "libx265", "", 'video/mp4; codecs="hev1.1.6.L30.90"'),
    ("mp4", "mpeg4", "libmp3lame", 'video/mp4; codecs="mp4v.20.1, mp4a.6B"'),
    ("mp4", "libvpx-vp9", "libopus", 'video/mp4; codecs="vp09.00.10.08, opus"'),
    ("mov", "libx264", "pcm_s16le", 'video/quicktime; codecs="avc1.64000a, sowt"'),
    ("matroska", "libx264", "aac", 'video/matroska; codecs="avc1.64000a, mp4a.40.2"'),
    ("avi", "mpeg4", "", "video/x-msvideo"),
    ("flv", "libx264", "aac", "video/x-flv"),
    ("mp4", "mpeg2video", "libmp3lame", 'video/mp4; codecs="mp4v.61, mp4a.6B"'),
    ("mp4", "mpeg1video", "", 'video/mp4; codecs="mp4v.6A"'),
    ("matroska", "mpeg2video", "libmp3lame", 'video/matroska; codecs="mp4v.61, mp3"'),
    ("mpegts", "libx264", "", "video/mp2t"),
    ("mpeg", "mpeg1video", "", "video/mpeg"),
]
AUDIO = [
    ("ogg", "libopus", 'audio/ogg; codecs="opus"'),
    ("ogg", "flac", 'audio/ogg; codecs="flac"'),
    ("webm", "libopus", 'audio/webm; codecs="opus"'),
    ("mp4", "aac", 'audio/mp4; codecs="mp4a.40.2"'),
    ("mp4", "alac", 'audio/mp4; codecs="alac"'),
    ("mp4", "flac", 'audio/mp4; codecs="flac"'),
    ("wav", "pcm_s16le", "audio/wav"),
    ("mp3", "libmp3lame", "audio/mpeg"),
    ("flac", "flac", "audio/flac"),
    ("adts", "aac", "audio/aac"),
]


def look(content: bytes, kind: str = "video") -> str:
    return detect_medium(io.BytesIO(content), kind).type


@pytest.mark.parametrize(("container", "picture", "sound", "mime"), VIDEO)
def test_a_clip_says_its_container_and_codecs(container, picture, sound, mime):
    assert look(clips.encode_clip(container, picture, sound)) == mime


@pytest.mark.parametrize(("container", "sound", "mime"), AUDIO)
def test_a_recording_says_its_container_and_codecs(container, sound, mime):
    assert look(clips.encode_clip(container, sound=sound), "audio") == mime


LENGTHS = [
    ("webm", "libvpx", "libopus"),
    ("matroska", "libx264", ""),
    ("mp4", "libx264", "aac"),
    ("mov", "libx264", ""),
]


@pytest.mark.parametrize(("container", "picture", "sound"), LENGTHS)
def test_a_clip_says_how_long_it_plays(container, picture, sound):
    content = clips.encode_clip(container, picture, sound)
    assert detect_medium(io.BytesIO(content), "video").seconds == pytest.approx(0.5, abs=0.15)


def box(name: bytes, *contents: bytes) -> bytes:
    content = b"".join(contents)
    return struct.pack(">I4s", 8 + len(content), name) + content


def movie_seconds(*boxes: bytes) -> float | None:
    content = box(b"ftyp", b"isom") + box(b"moov", *boxes)
    return detect_medium(io.BytesIO(content), "video").seconds


def test_a_movie_says_its_length_in_either_form_or_that_of_its_fragments():
    short = box(b"mvhd", bytes(12), struct.pack(">II", 1_000, 2_500))
    long = box(b"mvhd", b"\1", bytes(19), struct.pack(">IQ", 90_000, 90_000 * 7))
    empty = box(b"mvhd", bytes(12), struct.pack(">II", 1_000, 0))
    fragments = box(b"mvex", box(b"mehd", bytes(4), struct.pack(">I", 4_000)))
    assert movie_seconds(short) == 2.5
    assert movie_seconds(long) == 7
    assert movie_seconds(empty, fragments) == 4


@pytest.mark.parametrize(
    ("scale", "duration"), [(1_000, 0), (0, 5), (1_000, 0xFFFFFFFF), (1, 1_000_001)]
)
def test_a_movie_of_no_known_or_an_absurd_length_has_none(scale, duration):
    header = box(b"mvhd", bytes(12), struct.pack(">II", scale, duration))
    assert movie_seconds(header) is None
    assert movie_seconds() is None


@pytest.mark.parametrize("duration", [float("nan"), float("inf"), -1.0, 0.0, 1e300])
def test_a_webm_file_of_an_absurd_length_has_none(duration):
    info = b"\x15\x49\xa9\x66\x8b\x44\x89\x88" + struct.pack(">d", duration)
    tracks = b"\x16\x54\xae\x6b\x80"
    content = b"\x1a\x45\xdf\xa3\x80" + b"\x18\x53\x80\x67\xff" + info + tracks
    medium = detect_medium(io.BytesIO(content), "video")
    assert (medium.type, medium.seconds) == ("video/matroska", None)


def test_a_webm_file_whose_length_is_damaged_keeps_its_type():
    content = b"\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\xff\x15\x49\xa9\x66\x81\x44"
    content += b"\x16\x54\xae\x6b\x80"
    medium = detect_medium(io.BytesIO(content), "video")
    assert (medium.type, medium.seconds) == ("video/matroska", None)


def test_av1_says_its_profile_level_and_depth_in_both_containers(capfd):
    for container in ("webm", "mp4"):
        mime = look(clips.encode_clip(container, "libsvtav1"))
        assert mime == f'video/{container}; codecs="av01.0.00M.08"'
    capfd.readouterr()  # the encoder talks


def test_theora_is_named_before_the_sound_whatever_comes_first():
    assert look(clips.theora()) == 'video/ogg; codecs="theora, vorbis"'
    assert look(clips.theora(with_sound=False)) == 'video/ogg; codecs="theora"'
    assert (
        look(clips.ogg(b"\x01vorbis", b"fishead\0", b"\x80theora"))
        == 'video/ogg; codecs="theora, vorbis"'
    )
    assert look(clips.ogg(b"Speex   1.2"), "audio") == 'audio/ogg; codecs="speex"'


def test_with_one_codec_that_has_no_name_here_none_is_named():
    assert look(clips.ogg(b"\x80theora", b"mystery!")) == "video/ogg"


@pytest.mark.parametrize(
    "content",
    [
        ("mp4", "libx264", "aac", 'audio/mp4; codecs="mp4a.40.2"'),
        ("webm", "libvpx", "libopus", 'audio/webm; codecs="opus"'),
        ("mp4", "libx264", "", "audio/mp4"),
    ],
)
def test_of_a_recording_the_sound_alone_is_named(content):
    *streams, mime = content
    assert look(clips.encode_clip(*streams), "audio") == mime


def test_of_several_tracks_of_a_kind_the_first_is_named_that_browsers_would_play():
    assert (
        look(clips.ogg(b"\x80theora", b"\x01vorbis", b"OpusHead"))
        == 'video/ogg; codecs="theora, vorbis"'
    )
    assert (
        look(clips.ogg(b"Speex   ", b"\x80theora", b"OpusHead"))
        == 'video/ogg; codecs="theora, opus"'
    )
    assert look(clips.ogg(b"mystery!", b"OpusHead"), "audio") == 'audio/ogg; codecs="opus"'
    assert look(clips.ogg(b"BBCD", b"OVP80")) == 'video/ogg; codecs="vp8"'


def test_the_object_type_of_mpeg_4_says_what_is_a_picture_and_what_a_sound():
    def descriptor(kind: int) -> bytes:
        return bytes([0x03, 20, 0, 1, 0, 0x04, 13, kind]) + bytes(12)

    parameters = {
        kind: codecs.mpeg4(descriptor(kind), "mp4v")
        for kind in (0x60, 0x61, 0x65, 0x6A, 0x6C, 0x69, 0x40)
    }
    assert parameters == {
        0x60: "mp4v.60",
        0x61: "mp4v.61",
        0x65: "mp4v.65",
        0x6A: "mp4v.6A",
        0x6C: "mp4v.6C",
        0x69: "",
        0x40: "",
    }
    parameters = {
        kind: codecs.mpeg4(descriptor(kind), "mp4a")
        for kind in (0x40, 0x67, 0x69, 0x6B, 0xA5, 0x61, 0)
    }
    assert parameters == {
        0x40: "mp4a.40.2",
        0x67: "mp4a.67",
        0x69: "mp4a.69",
        0x6B: "mp4a.6B",
        0xA5: "mp4a.A5",
        0x61: "",
        0: "",
    }


def test_a_record_that_is_cut_leaves_its_codec_without_a_name_and_its_container_known():
    whole = clips.encode_clip("mp4", "libx264", "aac")
    at = whole.index(b"avcC")
    assert look(whole[:at] + b"free" + whole[at + 4 :]) == "video/mp4"


@pytest.mark.parametrize(
    "whole",
    [
        lambda: clips.encode_clip("mp4", "libx264", "aac"),
        lambda: clips.encode_clip("mp4", "libx264", "aac", movflags="frag_keyframe+empty_moov"),
        lambda: clips.encode_clip("mov", "libx264", "pcm_s16le"),
    ],
)
def test_an_mp4_that_is_cut_before_or_within_its_movie_box_could_not_be_read(whole):
    content = whole()
    begin = content.index(b"moov") - 4
    end = begin + struct.unpack(">I", content[begin : begin + 4])[0]
    assert look(content[:end]) != ""
    for cut in (begin - 1, begin, begin + 8, begin + 100, (begin + end) // 2, end - 1):
        assert look(content[:cut]) == ""


def test_a_webm_that_is_cut_before_its_tracks_end_could_not_be_read():
    content = clips.encode_clip("webm", "libvpx", "libopus")
    begin = content.index(b"\x16\x54\xae\x6b")
    for cut in (4, begin - 1, begin, begin + 20):
        assert look(content[:cut]) == ""


NO_CLIPS = {
    "nothing": b"",
    "a page": b"<!doctype html><title>404</title>",
    "a table": b"id,text\n1,two",
    "text of two bytes a letter": ("hello, world" * 99).encode("utf-16"),
    "a PDF": b"%PDF-1.7\n",
    "a zip": b"PK\3\4" + bytes(64),
    "a PNG": b"\x89PNG\r\n\x1a\n" + bytes(64),
    "a GIF": b"GIF89a" + bytes(64),
    "a JPEG": b"\xff\xd8\xff\xe0\0\x10JFIF" + bytes(64),
    "a WebP": b"RIFF\x24\0\0\0WEBPVP8 ",
    "an AVIF": b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf" + bytes(64),
    "a tag without a sound": b"ID3\4\0\0\0\0\0\x10" + bytes(16),
    "half a frame of MP3": b"\xff\xfb\x90\x64" + bytes(200),
    "a frame of MP3 before something else": b"\xff\xfb\x90\x64" + bytes(600),
    "Ogg in which no stream begins": b"OggS\0\0" + bytes(60),
    **{f"bytes of seed {seed}": random.Random(seed).randbytes(20_000) for seed in range(20)},
}


@pytest.mark.parametrize("kind", ["video", "audio"])
@pytest.mark.parametrize("name", NO_CLIPS)
def test_what_is_no_clip_has_no_type(name, kind):
    assert look(NO_CLIPS[name], kind) == ""


def test_a_sound_that_begins_in_the_middle_of_a_frame_is_known_by_the_frames_behind_it():
    plain = clips.encode_clip("mp3", sound="libmp3lame", id3v2_version="0", write_xing="0")
    assert look(plain[100:], "audio") == "audio/mpeg"
    assert look(clips.encode_clip("adts", sound="aac")[5:], "audio") == "audio/aac"


def test_mpeg_is_a_sound_or_a_picture_whatever_it_is_called():
    assert look(clips.encode_clip("mp3", sound="libmp3lame")) == "audio/mpeg"
    assert look(clips.encode_clip("mpeg", "mpeg1video"), "audio") == "video/mpeg"


def test_the_clips_of_the_demo_are_vp9():
    files = sorted(SHAPES.glob("*.webm"))
    assert len(files) == 40
    assert {look(file.read_bytes()) for file in files} == {'video/webm; codecs="vp9"'}


def test_a_movie_box_is_found_at_the_head_at_the_end_and_before_fragments():
    plain = clips.encode_clip("mp4", "libx264", "aac")
    assert plain.index(b"moov") > plain.index(b"mdat")
    fragmented = clips.encode_clip("mp4", "libx264", "aac", movflags="frag_keyframe+empty_moov")
    assert fragmented.index(b"moov") < fragmented.index(b"mdat")
    assert look(plain) == look(fragmented) == 'video/mp4; codecs="avc1.64000a, mp4a.40.2"'


def test_a_tag_before_the_sound_is_skipped():
    tag = b"ID3\x04\0\0" + bytes([0, 0, 2, 0]) + b"\x01" * 256
    assert (
        look(
            tag + clips.encode_clip("mp3", sound="libmp3lame", id3v2_version="0", write_xing="0"),
            "audio",
        )
        == "audio/mpeg"
    )
    assert look(tag + clips.encode_clip("flac", sound="flac"), "audio") == "audio/flac"


class Endless(io.RawIOBase):
    """A file of a terabyte whose picture data must not be read; its movie box is at the end."""

    def __init__(self) -> None:
        whole = clips.encode_clip("mp4", "libx264")
        at = whole.index(b"moov") - 4
        size = struct.unpack(">I", whole[at : at + 4])[0]
        self.head = whole[: whole.index(b"ftyp") - 4 + struct.unpack(">I", whole[:4])[0]]
        self.tail = whole[at : at + size]
        self.data = struct.pack(">I4sQ", 1, b"mdat", 10**12)
        self.size = len(self.head) + 10**12 + len(self.tail)
        self.place = self.n_read = 0

    def seek(self, offset: int, whence: int = 0) -> int:
        self.place = self.size + offset if whence == 2 else offset
        return self.place

    def read(self, n: int = -1) -> bytes:
        self.n_read += n
        begin = self.size - len(self.tail)
        if self.place >= begin:
            return self.tail[self.place - begin :][:n]
        return (self.head + self.data)[self.place :][:n].ljust(n, b"\0")


def test_a_terabyte_is_looked_into_by_reading_some_kilobytes():
    stream = Endless()
    assert detect_medium(stream, "video").type == 'video/mp4; codecs="avc1.64000a"'
    assert stream.n_read < 10_000


def test_a_file_that_leads_around_for_ever_ends_after_so_many_reads(monkeypatch):
    monkeypatch.setattr(bounded_file, "MAX_READS", 500)
    boxes = io.BytesIO(struct.pack(">I4s", 8, b"free") * 100_000)
    assert detect_medium(boxes, "video").type == ""
    assert boxes.tell() < 500 * 16
    void = b"\x1a\x45\xdf\xa3\x80" + b"\x18\x53\x80\x67\xff" + b"\xec\x80" * 100_000
    assert look(void) == ""


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0",
        b"\x1a\x45\xdf\xa3",
        b"OggS",
        b"RIFF",
        b"ID3",
        b"\xff\xfb",
        b"\xff" * 64,
        b"\0" * 64,
        b"ID3\4\0\0\x7f\x7f\x7f\x7f",
        b"<html><script>alert(1)</script>",
        b"\0\0\0\x08ftyp",
        b"\0\0\0\1ftyp\xff\xff\xff\xff\xff\xff\xff\xff",
    ],
)
def test_what_is_no_clip_or_none_any_more_is_not_known_and_raises_nothing(content):
    assert look(content) == ""


WHOLE = [
    lambda: clips.encode_clip("webm", "libvpx-vp9", "libopus"),
    lambda: clips.encode_clip("mp4", "libx264", "aac"),
    lambda: clips.encode_clip("mp4", "libx265"),
    lambda: clips.encode_clip("mov", "libx264", "pcm_s16le"),
    lambda: clips.encode_clip("mp4", "mpeg4", "libmp3lame"),
    lambda: clips.encode_clip("ogg", sound="libopus"),
    lambda: clips.encode_clip("mp3", sound="libmp3lame"),
    clips.theora,
]


@pytest.mark.parametrize("seed", seeds(8, by_default=8))
def test_a_file_that_is_cut_or_changed_anywhere_says_something_plain_or_nothing(seed):
    chance = random.Random(seed)
    content = WHOLE[seed % len(WHOLE)]()
    # the boxes of an MP4 that are read stand at its end
    lively = content[:2_000] + content[-3_000:] if len(content) > 5_000 else content
    for _ in range(300):
        broken = bytearray(lively)
        for _ in range(chance.randrange(1, 20)):
            broken[chance.randrange(len(broken))] = chance.choice(
                [0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)]
            )
        mime = look(
            bytes(broken[: chance.randrange(len(broken) + 1)] if chance.random() < 0.3 else broken)
        )
        assert len(mime) <= 120 and mime.isprintable()
        assert mime == "" or mime.startswith("video/") or mime == "audio/mpeg"
        assert not set(mime) & set("<>&'\\")
