"""The guide of the client does what it says: its blocks run in order, on a real site."""

import re
import shlex

import pytest

from assayer.client.sites import Site, keep_site, kept_file
from assayer.console import main
from metrics.models import Release
from pooling.models import Pool, Run
from tests.servers.stack import ROOT

GUIDE = (ROOT / "docs" / "client.md").read_text()
BLOCKS = re.findall(r"^```(python|console)\n(.*?)^```$", GUIDE, flags=re.M | re.S)


def test_the_blocks_of_the_guide_run(study, live_server, token, tmp_path, monkeypatch, capsys):
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    keep_site(Site(live_server.url, token), kept_file())
    names: dict[str, object] = {}
    for language, block in BLOCKS:
        if language == "python":
            exec(compile(block, "docs/client.md", "exec"), names)
        else:
            for line in block.splitlines():
                program, *words = shlex.split(line)
                assert (program, main(words)) == ("assayer", 0), capsys.readouterr().err
    names["client"].close()
    assert len(BLOCKS) == 9
    assert set(Run.objects.filter(name__startswith="bm25").values_list("name", "state")) == {
        ("bm25", "ready"),
        ("bm25-again", "ready"),
    }
    assert Pool.objects.filter(name__in=["first", "second"], state="open").count() == 2
    assert Release.objects.get().version == "1.0"
    printed = capsys.readouterr().out
    assert 'Pool "first" already exists' in printed and "study has no run none." in printed


@pytest.mark.parametrize("name", ["Unauthorized", "Refused", "NotReady", "Conflict"])
def test_the_guide_names_the_errors(name):
    assert f"`{name}`" in GUIDE
