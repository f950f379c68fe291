"""The checks of `manage.py fsck` for tests whose rounds have no pool."""

from annotate import fsck as annotate_fsck
from annotate.checks.check import run
from metrics import fsck as metrics_fsck


def sound() -> bool:
    """That nothing is broken; what is broken shows in the failure."""
    found = run([*annotate_fsck.CHECKS, *metrics_fsck.CHECKS])
    assert [(finding.check.name, finding.lines) for finding in found if not finding.check.notice] == []
    return True
