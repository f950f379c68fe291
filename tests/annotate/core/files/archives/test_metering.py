"""Estimates of a file's rows from the bytes that were read."""

from hashlib import shake_256

import pytest

from annotate.core.files.archives.metering import MeteredSource
from annotate.core.files.archives.sources import FileSource
from annotate.core.files.formats import Problems
from annotate.core.files.items.item_formats import read_items
from tests.annotate.core.files.samples import file, packed, zipped


@pytest.mark.parametrize("make", [file, packed], ids=["plain", "gzip"])
def test_rows_in_all_are_guessed_within_a_sixth_half_way_through(make):
    # No packer makes less than 5 MB of these; beside that the 128 KiB that Python may read ahead of
    # it are few.
    lines = (
        f'{{"side": "document", "id": "d{number}", "text": '
        f'"{shake_256(str(number).encode()).hexdigest(256)}"}}'
        for number in range(20_000)
    )
    source = MeteredSource(FileSource(make(*lines), "collection.jsonl"))
    rows = read_items(source, Problems())
    assert source.estimated_rows(0) is None
    for _ in range(10_000):
        next(rows)
    assert 17_000 <= source.estimated_rows(10_000) <= 23_000
    assert sum(1 for _ in rows) == 10_000
    assert source.estimated_rows(20_000) == 20_000


def test_every_file_of_an_archive_counts_but_the_media():
    source = MeteredSource(
        zipped(
            {
                "corpus.jsonl": "12345",
                "queries.jsonl": "12345",
                "a.png": "12345678901234567890",
                "qrels/x.tsv": "",
            }
        )
    )
    with source.open("corpus.jsonl") as stream:
        stream.read()
    assert source.estimated_rows(7) == 14
    with source.open("a.png") as stream:
        stream.read()
    assert source.estimated_rows(7) == 14


def test_a_guess_is_never_below_what_was_read():
    source = MeteredSource(FileSource(file("x"), "a"))
    source.open("a").read()
    assert source.estimated_rows(12_345) == 12_400
    assert source.estimated_rows(100) == 100
