"""Limits of the process that reads strangers' files."""

import resource

from annotate.core import sandbox


def test_where_no_file_says_what_memory_is_taken_there_is_no_limit(monkeypatch, tmp_path):
    limits = resource.getrlimit(resource.RLIMIT_AS)
    monkeypatch.setattr(sandbox, "STATM", tmp_path / "absent")
    sandbox.limit_memory(2**40)
    assert resource.getrlimit(resource.RLIMIT_AS) == limits
