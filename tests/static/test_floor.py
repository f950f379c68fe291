"""Styles and scripts use only features of the oldest supported browsers: tools/browsers.

Two linters, with data of MDN and caniuse, come from npm at the versions of the lock, into a folder
that is deleted with the run.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "tools" / "browsers"
STATIC = ROOT / "static"
INSTALL = (
    "npm",
    "ci",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
    "--fetch-retries=1",
    "--engine-strict",
)
# each with a word of its finding: functions, rules, properties, units, values, selectors
PLANTED_STYLES = {
    ":root { --ink: light-dark(red, blue); }": "light-dark()",
    "@starting-style { a { opacity: 0; } }": "@starting-style",
    "a { anchor-name: --here; }": "anchor-name",
    "a { width: calc(1lh + 2px); }": "lh",
    "a { text-wrap: balance; }": "text-wrap",
    "a { clip-path: view-box inset(0); }": "view-box",
    "a:has(b) { color: red; }": ":has",
    "a { & b { color: red; } }": "nesting",
    "a { color: rgb(from red r g b); }": "css-relative-colors",
    "@supports not (color: light-dark(red, blue)) { a { color: light-dark(red, blue); } }": (
        "light-dark()"
    ),
}
PLANTED_SCRIPTS = {
    "[2, 1].toSorted();": "toSorted",
    "Promise.withResolvers();": "withResolvers",
    "document.body.checkVisibility();": "checkVisibility",
    "AbortSignal.any([]);": "any",
    "new CloseWatcher();": "CloseWatcher",
    "requestIdleCallback(() => {});": "requestIdleCallback",
    "await 0;": "await in a module",
    "/[a--b]/v;": "Invalid regular expression flag",
}
KNOWN_STYLES = """
@supports (color: light-dark(red, blue)) { a { color: light-dark(red, blue); } }
@layer x { a:is(b, c) { color: color-mix(in oklab, red, blue); min-height: 100dvh; translate: 1px 0;
  inset: 0; } }
"""
KNOWN_SCRIPTS = (
    "[1].findLast(Boolean); structuredClone({}); document.body.inert = true; "
    "[1].at(-1); CSS.escape('a');"
)

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the linters, their settings, and copies of all styles and scripts."""
    if not shutil.which("npm") or not shutil.which("node"):
        pytest.skip("there is no Node.js with npm here")
    folder = shutil.copytree(
        TOOLS,
        tmp_path_factory.mktemp("floor") / "bench",
        ignore=shutil.ignore_patterns("node_modules"),
    )
    installation = run(folder, *INSTALL)
    if installation.returncode:
        # a lock that does not fit its packages is our fault; an unreachable registry is not
        assert "EINTEGRITY" not in installation.stderr and "EUSAGE" not in installation.stderr, (
            installation.stderr
        )
        pytest.skip(
            f"npm could not install the linters: {' '.join(installation.stderr.splitlines()[:2])}"
        )
    for part in ("css", "js", "vendor"):
        shutil.copytree(STATIC / part, folder / part)
    yield folder
    shutil.rmtree(folder)


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        check=False,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
        env=os.environ | {"NO_COLOR": "1"},
    )


def style_faults(bench: Path, pattern: str) -> list[str]:
    finished = run(
        bench, "node", "node_modules/stylelint/bin/stylelint.mjs", "--formatter=json", pattern
    )
    assert finished.returncode in (0, 2), finished.stderr
    files = json.loads(finished.stderr)  # stylelint writes its findings there
    return [
        f"{Path(file['source']).name}:{warning['line']} {warning['text']}"
        for file in files
        for warning in file["warnings"]
    ]


def script_faults(bench: Path, *patterns: str) -> list[str]:
    finished = run(bench, "node", "node_modules/eslint/bin/eslint.js", "--format=json", *patterns)
    assert finished.returncode in (0, 1), finished.stderr
    files = json.loads(finished.stdout)
    return [
        f"{Path(file['filePath']).name}:{message['line']} {message['message']}"
        for file in files
        for message in file["messages"]
    ]


def test_every_style_is_known_to_the_oldest_browsers(bench):
    assert style_faults(bench, "css/*.css") == []


def test_every_script_is_known_to_the_oldest_browsers(bench):
    assert script_faults(bench, "js", "vendor") == []


def plant(bench: Path, planted: dict[str, str], kind: str) -> str:
    """Write a file for each, as a syntax error hides other findings; returns a glob pattern."""
    folder = bench / f"planted-{kind}"
    folder.mkdir()
    for number, source in enumerate(planted):
        (folder / f"{number}.{kind}").write_text(source)
    return f"{folder.name}/*.{kind}"


def unfound(planted: dict[str, str], faults: list[str], kind: str) -> list[str]:
    return [
        source
        for number, (source, word) in enumerate(planted.items())
        if not any(fault.startswith(f"{number}.{kind}:") and word in fault for fault in faults)
    ]


def test_a_style_that_is_too_new_would_be_found(bench):
    faults = style_faults(bench, plant(bench, PLANTED_STYLES, "css"))
    assert unfound(PLANTED_STYLES, faults, "css") == []


def test_a_script_that_is_too_new_would_be_found(bench):
    faults = script_faults(bench, plant(bench, PLANTED_SCRIPTS, "js"))
    assert unfound(PLANTED_SCRIPTS, faults, "js") == []


def test_what_the_oldest_browsers_know_is_let_be(bench):
    (bench / "known.css").write_text(KNOWN_STYLES)
    (bench / "known.js").write_text(KNOWN_SCRIPTS)
    assert style_faults(bench, "known.css") == []
    assert script_faults(bench, "known.js") == []


def test_older_browsers_are_told_apart_where_the_floor_is(bench):
    """Each engine's oldest version is the first with both features queried in css/layout.css."""
    data = json.loads(
        (bench / "node_modules" / "@mdn" / "browser-compat-data" / "data.json").read_text()
    )["css"]
    features = (data["at-rules"]["media"]["range_syntax"], data["types"]["color"]["color-mix"])
    names = {"ios_saf": "safari_ios"}
    for line in json.loads((TOOLS / "package.json").read_text())["browserslist"]:
        name, floor = line.split(" >= ")
        supports = [feature["__compat"]["support"][names.get(name, name)] for feature in features]
        firsts = [
            (support[0] if isinstance(support, list) else support)["version_added"]
            for support in supports
        ]
        assert max(float(first) for first in firsts) == float(floor), (name, firsts)
