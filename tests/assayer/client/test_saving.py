"""Files come whole or not at all, and go up without being held in memory."""

import hashlib
import itertools
import os
import tracemalloc

import pytest

from assayer.client.client import Client
from assayer.client.contents import name_of, opened
from assayer.client.errors import AssayerError, NotFound, Unreachable
from assayer.client.saving import lines_of, save, target_of
from assayer.client.transport import Call
from tests.assayer.client.servers import send, serving

N_LINES = 200_000  # more than a part of a file, so that some are written before it breaks off
BODY = b"a line\n" * N_LINES
DIGEST = hashlib.sha256(BODY).hexdigest()


@pytest.fixture
def unsteady(pauses):
    """A site whose first answer breaks off half-way, and a client of it."""
    lengths = itertools.chain([len(BODY) + 9], itertools.repeat(len(BODY)))
    with (
        serving(lambda handler: send(handler, 200, BODY, length=next(lengths))) as server,
        Client(server.url, "token") as client,
    ):
        yield client


def test_a_file_that_breaks_off_is_fetched_anew(unsteady, pauses, tmp_path):
    to = save(
        unsteady.transport, Call("GET", "file"), tmp_path / "file", sha256=DIGEST, n_bytes=len(BODY)
    )
    assert to.read_bytes() == BODY and len(pauses) == 1
    assert os.listdir(tmp_path) == ["file"]


def test_lines_that_break_off_are_not_handed_out_twice(unsteady, pauses):
    lines = list(lines_of(unsteady.transport, Call("GET", "lines")))
    assert lines == [b"a line\n"] * N_LINES and len(pauses) == 1


@pytest.mark.parametrize("expected", [{"sha256": "0" * 64}, {"n_bytes": len(BODY) + 1}])
def test_other_bytes_than_the_site_names_leave_the_old_file(unsteady, tmp_path, expected):
    file = tmp_path / "file"
    file.write_text("before")
    with pytest.raises(AssayerError, match="other bytes than the site says"):
        save(unsteady.transport, Call("GET", "file"), file, **expected)
    assert file.read_text() == "before" and os.listdir(tmp_path) == ["file"]


def test_a_file_that_never_comes_whole_is_not_there(pauses, tmp_path):
    with (
        serving(lambda handler: send(handler, 200, BODY, length=len(BODY) + 9)) as server,
        Client(server.url, "token", retries=2) as client,
        pytest.raises(Unreachable),
    ):
        save(client.transport, Call("GET", "file"), tmp_path / "file")
    assert os.listdir(tmp_path) == [] and len(pauses) == 2


def test_a_file_that_is_not_there_is_not_stored(client, study, tmp_path):
    folder = tmp_path / "own"
    folder.mkdir()
    client.collection("study").make_release("1.0")
    with pytest.raises(NotFound, match=r"has no file nothing\.txt"):
        client.collection("study").release("1.0").download(folder, "nothing.txt")
    with pytest.raises(NotFound):
        save(client.transport, Call("GET", "collections/study/none"), folder / "file")
    assert os.listdir(folder) == []


def test_a_folder_that_is_not_there_is_told_before_anything_is_fetched(tmp_path):
    with (
        serving(lambda handler: send(handler, 200, BODY)) as server,
        Client(server.url, "token") as client,
        pytest.raises(AssayerError, match=f"There is no folder {tmp_path}/none"),
    ):
        save(client.transport, Call("GET", "file"), tmp_path / "none" / "file")
    assert server.requests == []


def test_what_is_no_file_is_not_replaced(unsteady, tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    for name in ("folder", "pipe", "link"):
        with pytest.raises(AssayerError, match=f"{name} is no file that could be replaced"):
            save(unsteady.transport, Call("GET", "file"), tmp_path / name)
    with pytest.raises(AssayerError, match=r"There is no folder .*/none"):
        save(unsteady.transport, Call("GET", "file"), tmp_path / "none" / "file")
    assert (tmp_path / "pipe").is_fifo() and (tmp_path / "link").is_symlink()


def test_a_link_stays_and_leads_to_the_new_file(unsteady, tmp_path):
    (tmp_path / "file").write_text("before")
    (tmp_path / "link").symlink_to("file")
    save(unsteady.transport, Call("GET", "file"), tmp_path / "link")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "file").read_bytes() == BODY


def test_the_name_of_a_site_leads_out_of_no_folder(tmp_path):
    assert target_of(tmp_path, "../../x") == tmp_path / "x"
    assert target_of(tmp_path / "own", "x") == tmp_path / "own"


def test_parts_go_up_without_being_held(study, pauses):
    n_parts, answers = 32, itertools.count()
    report = {"state": "done", "id": 1, "url": "x", "file_name": "f", "error": "", "report": {}}
    report |= {"kind": "items", "sha256": "", "parameters": {}, "progress": None}
    body = (str(report | {"created_at": "2024-05-31T14:00:00Z"}).replace("'", '"')).encode()
    body = body.replace(b"None", b"null")

    def answer(handler):
        send(handler, 503 if next(answers) == 0 else 201, body)

    with serving(answer) as server, Client(server.url, "token") as client:
        tracemalloc.start()
        client.collection("study").upload(
            "items", (b"x" * (1 << 20) for _ in range(n_parts)), file_name="f"
        )
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    lengths = [int(headers["Content-Length"]) for _, headers in server.requests]
    assert len(lengths) == 2 and min(lengths) > n_parts << 20
    assert peak < 6 << 20


def test_what_is_uploaded_can_be_read_twice_and_has_a_name(tmp_path):
    path = tmp_path / "a.run"
    path.write_bytes(BODY[:99])
    reading, writing = os.pipe()
    os.write(writing, BODY[:99])
    os.close(writing)
    with open(reading, "rb") as pipe:
        for content in (path, str(path), BODY[:99], iter([BODY[:5], BODY[5:99]]), pipe):
            with opened(content) as file:
                assert (file.read(), file.seek(0), file.read()) == (BODY[:99], 0, BODY[:99])
        assert name_of(pipe) == "upload"
    assert [name_of(path), name_of(str(path)), name_of(iter([]))] == ["a.run", "a.run", "upload"]
    assert name_of(path, "b.run") == "b.run"
