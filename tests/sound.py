"""The checks of `manage.py fsck`, for tests that ask whether all is still sound."""

from collections.abc import Sequence

from annotate import fsck as annotate_fsck
from annotate.checks.check import Check, run
from config.management.commands.fsck import CHECKS
from metrics import fsck as metrics_fsck


def sound(checks: Sequence[Check] = CHECKS) -> bool:
    """That nothing is broken; what is broken shows in the failure."""
    found = run(checks)
    assert [(finding.check.name, finding.lines) for finding in found if not finding.check.notice] == []
    return True


def sound_without_pools() -> bool:
    """The same where rounds have no pool."""
    return sound([*annotate_fsck.CHECKS, *metrics_fsck.CHECKS])
