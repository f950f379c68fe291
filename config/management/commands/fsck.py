"""Check every invariant of the database: reads one moment of it, writes nothing."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate import fsck as annotate_fsck
from annotate.checks.check import SHOWN, Finding, one_moment, run
from metrics import fsck as metrics_fsck
from pooling import fsck as pooling_fsck

CHECKS = [*annotate_fsck.CHECKS, *pooling_fsck.CHECKS, *metrics_fsck.CHECKS]


class Command(BaseCommand):
    """Check every invariant of the database: reads one moment of it, writes nothing.

    Ends with 1 if anything is broken; what is only worth a look does not count.
    """

    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        """Run all checks and write their findings."""
        with one_moment():
            findings = run(CHECKS)
        for finding in findings:
            self.stdout.write(describe(finding))
        broken = [finding for finding in findings if not finding.check.notice]
        if broken:
            raise CommandError(
                f"{len(broken)} of {len(CHECKS)} checks failed; nothing was changed."
            )
        self.stdout.write(f"{len(CHECKS)} checks, nothing broken.")


def describe(finding: Finding) -> str:
    """A finding as lines for a person."""
    kind = "notice" if finding.check.notice else "broken"
    head = f"{kind}: {finding.check.name}: {finding.check.rule} Not so in {len(finding.lines)}:"
    return "\n".join([head, *(f"  {line}" for line in finding.lines[:SHOWN])])
