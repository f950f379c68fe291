"""The checks of `manage.py fsck` as one assertion."""

from collections.abc import Sequence

from annotate import fsck as annotate_fsck
from annotate.checks.check import Check, run
from config.management.commands.fsck import CHECKS
from metrics import fsck as metrics_fsck


def is_sound(checks: Sequence[Check] = CHECKS) -> bool:
    """True if nothing is broken; otherwise the assertion fails with the findings."""
    findings = run(checks)
    assert [
        (finding.check.name, finding.lines) for finding in findings if not finding.check.notice
    ] == []
    return True


def is_sound_without_pools() -> bool:
    """The same without the checks of pooling, for rounds that have no pool."""
    return is_sound([*annotate_fsck.CHECKS, *metrics_fsck.CHECKS])
