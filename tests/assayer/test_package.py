"""The package: what a wheel holds, what it needs, and that it computes what the tree computes."""

import json
import tarfile
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pytest

from assayer.console import FILE_COMMANDS
from tests.assayer.commands.files.running import LABELS, output_of
from tests.assayer.installed_package import ROOT, Installation, built, source_copy

SHAPES = ROOT / "demo" / "shapes"
RUNS = [str(SHAPES / "runs" / f"{name}.forward.run.gz") for name in ("heron", "finch")]
QRELS = ["--qrels", str(SHAPES / "reference.qrels")]
EVERY_MODULE = """
import importlib, json, pkgutil, sys
import assayer
names = [module.name for module in pkgutil.walk_packages(assayer.__path__, "assayer.")]
for name in names:
    if not name.endswith(".sandbox_process.__main__"):
        importlib.import_module(name)
foreign = []
for name in ("django", "annotate", "pooling", "metrics", "config", "tools"):
    try:
        importlib.import_module(name)
    except ModuleNotFoundError:
        continue
    foreign.append(name)
print(json.dumps([len(names), foreign, sorted({name.partition(".")[0] for name in sys.modules})]))
"""
READ_HDF5 = """
import sys
from assayer.numbers.annotate.core.files.formats import Problems
from assayer.numbers.pooling.core.files.binary.sandbox import read_hdf5_sandboxed
with open(sys.argv[1], "rb") as stream:
    blocks = list(read_hdf5_sandboxed(stream, "run", Problems()))
print([block.values.tolist() for block in blocks])
"""
BARE = "import assayer.console, json, sys; print(json.dumps(list(sys.modules)))"
LOADED = """
import json, sys
from assayer.console import main
assert main(sys.argv[1:]) == 0
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    return built(source_copy(folder / "source"), folder / "built")


@pytest.fixture(scope="module")
def installation(wheel, tmp_path_factory) -> Installation:
    return Installation(wheel, tmp_path_factory.mktemp("installed") / "environment")


@pytest.fixture
def files(tmp_path) -> Path:
    (tmp_path / "labels.csv").write_text(LABELS)
    rows = "".join(f"t{t},{t % 3 / 4},{t % 5 / 6}\n" for t in range(40))
    (tmp_path / "scores.csv").write_text(f"topic,one,two\n{rows}")
    (tmp_path / "items.csv").write_text("id,cat,dog\na,1,0\nb,1,1\n")
    return tmp_path


def test_every_module_loads_without_a_framework_and_beside_no_other_package(installation):
    finished = installation.run("-c", EVERY_MODULE)
    assert finished.returncode == 0, finished.stderr
    n_modules, foreign, loaded = json.loads(finished.stdout)
    assert n_modules > 300 and foreign == []
    assert not {"django", "rest_framework", "celery", "psycopg"} & set(loaded)


def test_a_wheel_holds_the_package_alone_with_its_types_and_its_script(wheel, installation):
    with zipfile.ZipFile(wheel) as members:
        names = members.namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"assayer"}
    assert "assayer/py.typed" in names and "assayer/VERSION" in names
    licences = [name.partition("/licenses/")[2] for name in names if "/licenses/" in name]
    assert sorted(licences) == ["LICENSE", "static/vendor/inter/LICENSE"]
    (script,) = installation.package.entry_points
    assert (script.name, script.value) == ("assayer", "assayer.console:main")
    assert installation.package.version == (ROOT / "VERSION").read_text().strip()


@pytest.mark.parametrize(
    "command",
    [
        ["agreement", "labels.csv", "--level", "nominal", "--bootstrap", "50"],
        ["evaluate", *RUNS, *QRELS, "--intervals", "--json"],
        ["compare", *RUNS, *QRELS, "--samples", "200"],
        ["plan", "scores.csv", "--samples", "50", "--sizes", "20"],
        ["analyse", "differences", "--scores", "scores.csv", "--json"],
        ["plausible", "items.csv"],
    ],
    ids=lambda command: command[0],
)
def test_its_commands_print_what_those_of_the_tree_print(installation, files, command):
    words = [str(files / word) if (files / word).is_file() else word for word in command]
    finished = installation.assayer(*words)
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout == output_of(*words) != ""


def test_it_reads_hdf5_in_a_process_of_its_own(installation, tmp_path):
    with h5py.File(tmp_path / "run.h5", "w") as file:
        file["sim_mat"] = np.array([[0.125, 0.5], [0.75, 0.25]])
        file["row_ids"], file["column_ids"] = np.array([[b"q1", b"q2"], [b"d1", b"d2"]])
    finished = installation.run("-c", READ_HDF5, str(tmp_path / "run.h5"))
    assert finished.stdout == "[[[0.125, 0.5], [0.75, 0.25]]]\n", finished.stderr


def test_a_chart_takes_the_extra_and_says_so(installation, files):
    words = ["analyse", "anova", "--scores", str(files / "scores.csv"), "--svg"]
    finished = installation.assayer(*words)
    assert (finished.returncode, finished.stdout) == (1, "")
    assert finished.stderr.endswith("which is not installed: assayer[pictures].\n")


@pytest.mark.full
@pytest.mark.parametrize("name", FILE_COMMANDS)
def test_every_command_has_its_help(installation, name):
    finished = installation.assayer(name, "--help")
    assert finished.stdout.startswith(f"usage: assayer {name} "), finished.stderr


@pytest.mark.parametrize(
    ("words", "unloaded"),
    [
        (["agreement", "labels.csv", "--level", "nominal"], {"scipy.stats", "scipy.special"}),
        (["plausible", "items.csv"], {"scipy"}),
    ],
    ids=lambda words: words[0] if isinstance(words, list) else "",
)
def test_a_command_loads_no_more_than_it_needs(installation, files, words, unloaded):
    names = [str(files / word) if (files / word).is_file() else word for word in words]
    finished = installation.run("-c", LOADED, *names)
    assert finished.returncode == 0, finished.stderr
    loaded = set(json.loads(finished.stderr))
    assert not loaded & (unloaded | {"pyarrow", "h5py", "httpx2", "tqdm"})
    bare = installation.run(
        "-c", "import assayer.console, json, sys; print(json.dumps(list(sys.modules)))"
    )
    assert not {"numpy", "scipy", "httpx2"} & set(json.loads(bare.stdout))


@pytest.mark.full
def test_a_checkout_is_built_again_without_what_it_has_no_more(wheel, tmp_path):
    source = source_copy(tmp_path / "source")
    former_module = source / "assayer" / "former.py"
    former_module.write_text('"""A module of an older version."""\n')
    built(source, tmp_path / "first")
    former_module.unlink()
    second = built(source, tmp_path / "second")
    assert zipfile.ZipFile(second).namelist() == zipfile.ZipFile(wheel).namelist()


@pytest.mark.full
def test_a_source_distribution_builds_the_same_wheel(wheel, tmp_path):
    sdist = built(source_copy(tmp_path / "source"), tmp_path / "sdist", "sdist")
    with tarfile.open(sdist) as members:
        members.extractall(tmp_path / "unpacked", filter="data")
    (source,) = (tmp_path / "unpacked").iterdir()
    again = built(source, tmp_path / "again")
    with zipfile.ZipFile(wheel) as first, zipfile.ZipFile(again) as second:
        names = {name for name in first.namelist() if not name.endswith("RECORD")}
        assert names == {name for name in second.namelist() if not name.endswith("RECORD")}
        assert all(first.read(name) == second.read(name) for name in names)
