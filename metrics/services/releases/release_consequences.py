"""The consequences of taking the publication of a release back and of withdrawing it."""

from annotate.core.consequences import Consequences
from annotate.core.phrases import counted
from metrics.models import Release

COPIES = "Copies that others have stay theirs."


def unpublication_consequences(*, release: Release) -> Consequences:
    """Return the consequences of taking a public release back from its readers."""
    return Consequences(
        act="unpublish",
        title="Take the publication back",
        button=f"Take {release.version} back from its readers",
        sentences=(
            "Its public page answers as if it had never been: whoever follows a link or a "
            "citation finds nothing there.",
            f"Members read and download it here as before. {COPIES}",
        ),
        way_back="It can be published again here, at the same address.",
        is_danger=False,
    )


def withdrawal_of_release(*, release: Release, n_files: int) -> Consequences:
    """Return the consequences of withdrawing a release that was made; n_files : of its archive."""
    files = counted(n_files, "file")
    readers = (
        "Readers, and whoever follows a citation, see in place of its public page that it was "
        "withdrawn, when and why."
        if release.published_at
        else "It is not public: members alone see that it was withdrawn, when and why."
    )
    return Consequences(
        act="withdraw",
        title="Withdraw the release",
        button=f"Withdraw {release.version}, with {files}",
        sentences=(
            f"It is deleted for good, with {files}: nobody can download it any more.",
            readers,
            f"Its version, its checksums and the reason stay on this page. {COPIES}",
        ),
        way_back="It cannot be taken back; another version can be released.",
    )
