"""Verification of a release: all that can be computed from its files is, and compared with them."""

from collections.abc import Callable
from pathlib import Path

from annotate.core.files.formats import FormatError
from annotate.core.phrases import count_of
from metrics.core.releases.verification.checksums import check_files
from metrics.core.releases.verification.entries import MANIFEST, read_manifest
from metrics.core.releases.verification.findings import Findings
from metrics.core.releases.verification.judgment_files import check_judgments
from metrics.core.releases.verification.label_tables import check_label_tables
from metrics.core.releases.verification.qrels_files import check_qrels
from metrics.core.releases.verification.release_folder import open_release
from metrics.core.releases.verification.scores import ScoreVerification

# what manifest.json tells and the files of a release do not
UNCHECKED = (
    "Of manifest.json the files do not tell: title, notes, limits, version, day, licence, creators "
    "and how to cite it; whether texts and media may leave; name and description of the "
    "collection; names of label sources; the ends of alpha's interval, hours, seconds and pay of "
    "the work, gold checks, items and their parts, reference sets, pairs that wait for labels, "
    "pairs of duplicates; how and when pools were chosen, and what they favour; systems, teams, "
    "papers and descriptions of runs, and the queries that they have and miss.",
    "By their checksums alone: beir/, scores/auto-judge/, labels/fire.json.gz, strata of pools, "
    "README.md, CITATION.cff and ir_metadata.yaml.",
)


def verify_release(path: Path, report: Callable[[str], None]) -> Findings:
    """Verify the folder of a release, or its archive.

    report : is told what is looked at. Raises FormatError and OSError where nothing can be opened.
    """
    findings = Findings(report)
    with open_release(path) as source:
        check_files(source, findings)
        manifest = None
        with findings.reading(MANIFEST):
            manifest = read_manifest(source)
        if manifest is None:
            findings.unchecked.append("Without manifest.json only the files were compared.")
            return findings
        check_qrels(source, manifest, findings)
        check_judgments(source, manifest, findings)
        check_label_tables(source, manifest, findings)
        findings.results.append(
            f"{count_of(findings.n_numbers, 'numbers')} of manifest.json compared with the files."
        )
        ScoreVerification(source, manifest, findings).run()
    findings.unchecked += UNCHECKED
    return findings


def open_error(path: Path, error: FormatError | OSError) -> str:
    """A sentence on what could not be opened."""
    if isinstance(error, FormatError):
        return f"{path}: {error}"
    return f"{path}: {error.strerror or error}."
