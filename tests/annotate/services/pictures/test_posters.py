"""Posters of clips, by an ffmpeg of the operator: off by default, drawn once, safe from files."""

import errno
import io
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import imageio_ffmpeg
import pytest
from django.core.cache import cache
from PIL import Image

from annotate import tasks
from annotate.models import Part, Preview
from annotate.services.collection.media import media_folder
from annotate.services.pictures import frames, previews
from annotate.services.pictures.item_pictures import picture_of
from annotate.services.pictures.redrawing import forget_failures
from annotate.services.pictures.thumbnails import ProcessNotStarted
from tests import cast
from tests.annotate.image_files import image_file
from tests.annotate.services.pictures.test_previews import add_image, results
from tests.clips import encode_clip

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media_root")]


@pytest.fixture
def collection():
    return cast.collection("clips")


@pytest.fixture
def ffmpeg(settings):
    settings.FFMPEG = imageio_ffmpeg.get_ffmpeg_exe()


def add_clip(collection, path, content=None, *, start=None):
    """An item with a clip of this content, and its part."""
    part = add_image(collection, path, content, kind="video")
    Part.objects.filter(pk=part.pk).update(start=start)
    return part


def h264():
    """A clip of five frames of 64 by 64 pixels, a tenth of a second each, from black on lighter."""
    return encode_clip("mp4", "libx264")


def frame_number(part):
    """The number of the frame that a part's poster shows."""
    image = Image.open(io.BytesIO(bytes(part.preview.content)))
    return round(image.getpixel((32, 32))[0] / 40)


def reload(part):
    return Part.objects.get(pk=part.pk)


def reasons(collection):
    """The second and the reason of each preview that could not be made."""
    previews_without = collection.previews.exclude(reason="")
    return sorted(previews_without.values_list("start", "reason"), key=str)


def program(folder, script):
    """A program of this shell script, in place of an ffmpeg."""
    path = folder / "ffmpeg"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_without_ffmpeg_clips_wait_and_once_it_is_there_they_get_posters(
    collection, settings, request
):
    image = add_image(collection, "a.png", image_file(size=(9, 9)))
    clip = add_clip(collection, "a.mp4", h264())
    assert settings.FFMPEG == ""
    assert previews.take_turn(collection=collection) == 1
    assert results(image) == [(9, 9)] and previews.overdue() == []
    assert picture_of(clip.item, collection.slug).url == ""
    request.getfixturevalue("ffmpeg")
    assert previews.overdue() == [collection.pk]
    tasks.make_previews(collection_id=collection.pk)
    assert results(clip) == [(64, 64)] and previews.overdue() == []
    picture = picture_of(clip.item, collection.slug)
    assert picture.url.endswith(f"/{clip.preview_id}/") and picture.kind == "video"
    settings.FFMPEG = ""
    assert previews.overdue() == [] and results(clip) == [(64, 64)]


@pytest.mark.usefixtures("ffmpeg")
def test_a_poster_shows_the_start_of_its_excerpt_and_equal_ones_share_one(collection):
    whole, twin, late, beyond = (
        add_clip(collection, path, h264(), start=start)
        for path, start in (("a.mp4", None), ("b.mp4", 0), ("c.mp4", 0.3), ("d.mp4", 60))
    )
    image = add_image(collection, "a.png", h264())  # a file of no image, whatever its name says
    assert previews.take_turn(collection=collection) == 5
    whole, twin, late, beyond, image = map(reload, (whole, twin, late, beyond, image))
    assert whole.preview == twin.preview != late.preview
    assert [frame_number(part) for part in (whole, late)] == [1, 4]
    assert reasons(collection) == [(60.0, "damaged"), (None, "no-image")]
    assert [part.preview for part in (beyond, image)] == [None, None]
    assert all(part.previewed_at for part in (beyond, image))


@pytest.mark.parametrize(
    ("container", "codec"),
    [
        ("mp4", "libx264"),
        ("mov", "libx264"),
        ("mp4", "libx265"),
        ("mp4", "mpeg4"),
        ("webm", "libvpx"),
        ("webm", "libvpx-vp9"),
        ("matroska", "libx264"),
    ],
)
@pytest.mark.usefixtures("ffmpeg")
def test_what_cards_play_gets_a_poster_whatever_its_name(collection, container, codec):
    clip = add_clip(collection, "a.ogv", encode_clip(container, codec))
    assert previews.take_turn(collection=collection) == 1 and results(clip) == [(64, 64)]


@pytest.mark.usefixtures("ffmpeg")
def test_a_clip_of_one_frame_is_shown_by_it(collection, settings, tmp_path):
    short = tmp_path / "short.mp4"
    whole = tmp_path / "whole.mp4"
    whole.write_bytes(h264())
    frame = ["-i", whole, "-frames:v", "1", "-c:v", "libx264", short]
    subprocess.run([settings.FFMPEG, "-loglevel", "error", *frame], check=True)
    clip = add_clip(collection, "a.mp4", short.read_bytes())
    assert previews.take_turn(collection=collection) == 1 and results(clip) == [(64, 64)]
    assert frame_number(clip) == 0


@pytest.mark.usefixtures("ffmpeg")
def test_a_large_clip_is_shrunk_and_one_of_wide_pixels_drawn_as_it_is_shown(
    collection, settings, tmp_path
):
    for name, options in {
        "large": "scale=640:64,setsar=1",
        "wide": "setsar=4",
        "tall": "scale=2:900,setsar=1",
    }.items():
        file = tmp_path / f"{name}.mp4"
        source = ["-f", "lavfi", "-i", f"color=c=red:s=64x64:d=1,{options}"]
        subprocess.run(
            [settings.FFMPEG, "-loglevel", "error", *source, "-pix_fmt", "yuv420p", file],
            check=True,
        )
    parts = [
        add_clip(collection, f"{name}.mp4", (tmp_path / f"{name}.mp4").read_bytes())
        for name in ("large", "wide", "tall")
    ]
    assert previews.take_turn(collection=collection) == 3
    assert results(*parts) == [(320, 32), (256, 64), (1, 320)]


@pytest.mark.usefixtures("ffmpeg")
def test_a_broken_clip_fails_alone_and_once_with_its_reason(collection):
    cut, page, image, good = (
        add_clip(collection, path, content)
        for path, content in (
            ("cut.mp4", h264()[:400]),
            ("page.mp4", b"<html><script>alert(1)</script>"),
            ("image.mp4", image_file()),
            ("good.mp4", h264()),
        )
    )
    assert previews.take_turn(collection=collection) == 4
    assert results(cut, page, image, good) == ["damaged", "no-clip", "no-clip", (64, 64)]
    cache.clear()  # no rest hides one that waits
    assert previews.overdue() == [] and previews.take_turn(collection=collection) == 0
    assert picture_of(cut.item, collection.slug).sources  # browsers try it, as without a poster
    (media_folder(collection) / "cut.mp4").write_bytes(h264())
    assert forget_failures(collection=collection) == (3, 0)
    assert previews.take_turn(collection=collection) == 3
    assert results(cut) == [(64, 64)]


@pytest.mark.usefixtures("ffmpeg")
def test_an_absent_clip_waits_and_one_at_an_address_never_gets_a_poster(collection):
    absent = add_clip(collection, "a.mp4", h264())
    (media_folder(collection) / "a.mp4").unlink()
    part = add_image(collection, "https://elsewhere.example/a.mp4", checksum="", kind="video")
    assert previews.take_turn(collection=collection) == 0 and not Preview.objects.exists()
    assert reload(absent).previewed_at is None and reload(part).previewed_at is None
    cache.delete(previews.rest_key(collection.pk))
    assert previews.overdue() == [collection.pk]


def test_a_clip_that_goes_away_while_it_is_drawn_waits_whatever_ffmpeg_calls_it(
    collection, settings, tmp_path, request
):
    clip = add_clip(collection, "a.mp4", h264())
    file, away = media_folder(collection) / "a.mp4", tmp_path / "away"
    settings.FFMPEG = program(tmp_path, f"mv {file} {away}; exit 1")  # as 4.2 of any fault
    assert previews.take_turn(collection=collection) == 0 and not Preview.objects.exists()
    assert reload(clip).previewed_at is None
    away.rename(file)
    cache.delete(previews.rest_key(collection.pk))
    request.getfixturevalue("ffmpeg")
    assert previews.take_turn(collection=collection) == 1 and results(clip) == [(64, 64)]


def test_a_clip_whose_disk_failed_ffmpeg_waits_though_it_can_be_read_again(
    collection, settings, tmp_path
):
    clip = add_clip(collection, "a.mp4", h264())
    settings.FFMPEG = program(tmp_path, f"exit {256 - errno.EIO}")
    assert previews.take_turn(collection=collection) == 0 and not Preview.objects.exists()
    assert reload(clip).previewed_at is None


@pytest.mark.usefixtures("ffmpeg")
def test_a_turn_of_clips_ends_and_the_next_goes_on_behind_the_last(collection, monkeypatch):
    for number in range(3):
        add_clip(collection, f"{number}.mp4", h264(), start=number / 10)
    monkeypatch.setattr(previews, "TURN_SECONDS", 0)
    assert [previews.take_turn(collection=collection) for _ in range(4)] == [1, 1, 1, 0]


@pytest.mark.usefixtures("ffmpeg")
def test_a_clip_that_takes_too_much_memory_is_ended_and_others_go_on(collection, monkeypatch):
    clip = add_clip(collection, "a.mp4", h264())
    with monkeypatch.context() as patch:
        patch.setattr(frames, "MEMORY", 1024 * 1024)
        assert previews.take_turn(collection=collection) == 1
    assert results(clip) == ["too-costly"]
    good = add_clip(collection, "b.mp4", h264(), start=0.1)
    assert previews.take_turn(collection=collection) == 1 and frame_number(reload(good)) == 2
    assert reasons(collection) == [(0.0, "too-costly")]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (256 - errno.ENOMEM, "too-costly"),
        (256 - errno.EAGAIN, "too-costly"),
        (183, "damaged"),
        (1, "damaged"),
    ],
)
def test_what_the_exit_code_tells_is_the_reason(collection, settings, tmp_path, code, reason):
    clip = add_clip(collection, "a.mp4", h264())
    settings.FFMPEG = program(tmp_path, f"exit {code}")
    assert previews.take_turn(collection=collection) == 1 and results(clip) == [reason]


HOUR = 3600
STUCK = {
    "at work": ("while :; do :; done", {"SECONDS": 1, "CLOCK_SECONDS": HOUR}, "too-costly"),
    "asleep": ("sleep 3600", {"CLOCK_SECONDS": 1}, "too-costly"),
    "gone, and its child has the output": ("sleep 3600 & exit", {"CLOCK_SECONDS": 1}, "damaged"),
    "writing without end": ("cat /dev/zero", {"CLOCK_SECONDS": HOUR}, "too-costly"),
}


@pytest.mark.parametrize("name", STUCK)
def test_a_program_that_does_not_end_is_ended_with_all_it_started(
    collection, monkeypatch, settings, tmp_path, name
):
    script, limits, reason = STUCK[name]
    for limit, value in limits.items():
        monkeypatch.setattr(frames, limit, value)
    settings.FFMPEG = program(tmp_path, script)
    clip = add_clip(collection, "a.mp4", h264())
    assert previews.take_turn(collection=collection) == 1
    assert results(clip) == [reason]


def test_the_program_writes_no_file_and_knows_no_setting(
    collection, monkeypatch, settings, tmp_path
):
    monkeypatch.setenv("SECRET_KEY", "x" * 60)
    clip = add_clip(collection, "a.mp4", h264())
    settings.FFMPEG = program(tmp_path, f'echo more > {tmp_path}/file; echo -n "$SECRET_KEY"')
    assert previews.take_turn(collection=collection) == 1
    assert results(clip) == ["damaged"]  # it would be no image, had there been any output
    assert (tmp_path / "file").read_text() == ""


def test_a_program_that_is_gone_stores_nothing(collection, settings, tmp_path):
    image = add_image(collection, "a.png", image_file(size=(9, 9)))
    add_clip(collection, "a.mp4", h264())
    settings.FFMPEG = str(tmp_path / "absent")
    with pytest.raises(ProcessNotStarted):
        previews.take_turn(collection=collection)
    assert results(image) == [(9, 9)] and Preview.objects.count() == 1  # images go first


class AskedHost(BaseHTTPRequestHandler):
    """A host that counts who asks it."""

    n_requests = 0

    def do_GET(self) -> None:
        """Give a clip for anything."""
        AskedHost.n_requests += 1
        self.send_response(200)
        self.end_headers()
        self.wfile.write(encode_clip("mpegts", "libx264"))

    def log_message(self, *args: object) -> None:
        """Log nothing."""


@pytest.fixture
def asked_host():
    server = ThreadingHTTPServer(("127.0.0.1", 0), AskedHost)
    thread = threading.Thread(target=server.serve_forever, args=[0.01])
    thread.start()
    AskedHost.n_requests = 0
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def playlists(address, clip):
    """Playlists of an address, and of a file of this machine, by ffmpeg's name of their form."""
    segment = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n{}\n#EXT-X-ENDLIST\n"
    return [
        ("hls", segment.format(f"{address}/a.ts")),
        ("concat", f"ffconcat version 1.0\nfile '{address}/a.ts'\n"),
        ("concat", f"ffconcat version 1.0\nfile '{clip}'\n"),
    ]


@pytest.mark.usefixtures("ffmpeg")
def test_a_playlist_as_a_clip_fetches_nothing_and_reads_no_other_file(
    collection, asked_host, tmp_path
):
    other = tmp_path / "other.mp4"
    other.write_bytes(h264())
    parts = [
        add_clip(collection, f"{number}.mp4", text.encode())
        for number, (_, text) in enumerate(playlists(asked_host, other))
    ]
    assert previews.take_turn(collection=collection) == 3
    assert results(*parts) == ["no-clip"] * 3 and AskedHost.n_requests == 0


@pytest.mark.usefixtures("ffmpeg")
@pytest.mark.parametrize("number", range(3))
def test_ffmpeg_itself_refuses_playlists_by_its_arguments(settings, asked_host, tmp_path, number):
    other, playlist = tmp_path / "other.mp4", tmp_path / "playlist"
    other.write_bytes(h264())
    form, text = playlists(asked_host, other)[number]
    playlist.write_text(text)

    def is_followed(**options):
        """True if ffmpeg asks the host or draws a frame, with these options in place of ours."""
        arguments = frames.arguments_of(playlist, demuxer=form, moment=0)
        for name, value in options.items():
            arguments[arguments.index(f"-{name}") + 1] = value
        arguments = [*(["-safe", "0"] if form == "concat" else []), *arguments]
        run = subprocess.run([settings.FFMPEG, *arguments], check=False, capture_output=True)
        return AskedHost.n_requests > 0 or run.stdout != b""

    everything = "file,http,tcp,crypto,data"
    assert not is_followed()
    assert not is_followed(protocol_whitelist=everything)
    if asked_host in text:
        assert not is_followed(format_whitelist="hls,concat,mov,mpegts")
    assert is_followed(protocol_whitelist=everything, format_whitelist="hls,concat,mov,mpegts")
