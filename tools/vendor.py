"""Fetch the browser libraries Assayer ships, with npm, and record what was fetched.

Run it after changing a version below: `python3 tools/vendor.py`. It needs npm; the product itself
does not. Chosen files land in static/vendor/<name>/ with their LICENSE, and
static/vendor/VENDOR.json keeps version, licence, the registry's integrity string and a sha256 a
file, which tests/static/test_vendor.py re-hashes.
"""

import hashlib
import json
import re
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import NamedTuple

TARGET = Path(__file__).resolve().parent.parent / "static" / "vendor"
SOURCE_MAP_LINE = re.compile(rb"\n?//# sourceMappingURL=[^\n]*\n?")


class ScriptPackage(NamedTuple):
    """One npm package, and the files to ship, as paths inside its archive."""

    folder: str
    name: str
    version: str
    files: tuple[str, ...]


PACKAGES = (
    ScriptPackage("htmx", "htmx.org", "4.0.1", ("dist/htmx.min.js",)),
    ScriptPackage("vega", "vega", "6.4.0", ("build/vega.min.js",)),
    ScriptPackage("vega-lite", "vega-lite", "6.4.3", ("build/vega-lite.min.js",)),
    ScriptPackage("vega-embed", "vega-embed", "7.3.0", ("build/vega-embed.min.js",)),
    ScriptPackage(
        "inter",
        "@fontsource-variable/inter",
        "5.3.0",
        (
            "files/inter-latin-wght-normal.woff2",
            "files/inter-latin-ext-wght-normal.woff2",
            "files/inter-greek-wght-normal.woff2",
        ),
    ),
)


def pack(package: ScriptPackage, folder: Path) -> tuple[Path, str]:
    """Fetch the package's archive into folder by npm.

    Return its path and the registry's integrity string.
    """
    spec = f"{package.name}@{package.version}"
    npm_pack = subprocess.run(
        ["npm", "pack", spec, "--json"], cwd=folder, check=True, capture_output=True, text=True
    )
    answer = json.loads(npm_pack.stdout)
    # npm 11 and older answer with a list, later ones with an object keyed by package
    entry = answer[0] if isinstance(answer, list) else next(iter(answer.values()))
    return folder / entry["filename"], entry["integrity"]


def unpack(package: ScriptPackage, archive: Path, target: Path) -> dict[str, str]:
    """Copy the package's files and the LICENSE out of the archive.

    Return sha256 by path below target.
    """
    hashes = {}
    folder = target / package.folder
    folder.mkdir(parents=True)
    with tarfile.open(archive) as tar:
        for path in (*package.files, "LICENSE"):
            content = tar.extractfile(f"package/{path}").read()
            if path.endswith(".js"):
                # a dangling source map line stops collectstatic, which looks for the map it names
                content = SOURCE_MAP_LINE.sub(b"\n", content)
            file = folder / Path(path).name
            file.write_bytes(content)
            hashes[f"{package.folder}/{file.name}"] = hashlib.sha256(content).hexdigest()
    return hashes


def licence_of(archive: Path) -> str:
    """The SPDX name in the archive's package.json."""
    with tarfile.open(archive) as tar:
        return json.loads(tar.extractfile("package/package.json").read())["license"]


def main() -> None:
    """Rebuild static/vendor from scratch, so that no unlisted file stays."""
    record = {}
    with tempfile.TemporaryDirectory() as temporary:
        fresh = Path(temporary) / "vendor"
        for package in PACKAGES:
            archive, integrity = pack(package, Path(temporary))
            record[package.name] = {
                "version": package.version,
                "licence": licence_of(archive),
                "integrity": integrity,
                "sha256": unpack(package, archive, fresh),
            }
        (fresh / "VENDOR.json").write_text(json.dumps(record, indent=2, sort_keys=True) + "\n")
        shutil.rmtree(TARGET, ignore_errors=True)
        shutil.copytree(fresh, TARGET)
    print(f"{sum(len(entry['sha256']) for entry in record.values())} files in {TARGET}")


if __name__ == "__main__":
    main()
