"""Publication of a release: what becomes public with it, and how it is published and taken back."""

from typing import NamedTuple

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from annotate.core.phrases import enumeration
from annotate.models import User
from metrics.models import Release, ReleaseEventKind, ReleaseFile, ReleaseRun
from metrics.services.releases.page import has_file
from metrics.services.releases.releases import ReleaseRefused
from metrics.services.releases.steps import note_step


class PublicationPreview(NamedTuple):
    """All that becomes public with a release, and the reasons against it.

    documents, tables : its files that tell of it, and those with its data
    named_runs, aliases : the runs under their own names, and those under an alias
    faults : sentences on why it cannot be published now
    """

    release: Release
    documents: list[ReleaseFile]
    tables: list[ReleaseFile]
    named_runs: list[str]
    aliases: list[str]
    faults: list[str]

    @property
    def contents_text(self) -> str:
        """Sentences on the texts and media of items."""
        have = {True: "are in it", False: "are not in it"}
        return (
            f"Texts of items {have[self.release.texts_leave]}. "
            f"Names and addresses of media {have[self.release.media_leave]}."
        )

    @property
    def licence_text(self) -> str:
        """Its licence in a sentence, also where there is none."""
        if self.release.licence:
            return f"Its licence is {self.release.licence}."
        return "It has no licence: readers may look at it, and nobody tells them what they may do."

    @property
    def creators_text(self) -> str:
        """The people to cite, in a sentence."""
        if not self.release.creators:
            return "It names no creator: the collection stands in their place."
        people = [", ".join(filter(None, row.values())) for row in self.release.creators]
        return f"To cite: {'; '.join(people)}."

    @property
    def named_runs_text(self) -> str:
        """The runs under their own names, in a sentence."""
        if not self.named_runs:
            return "No run stands under its own name."
        return (
            f"Under their own names, as their uploaders let it be: {enumeration(self.named_runs)}."
        )

    @property
    def aliases_text(self) -> str:
        """The runs under an alias, in a sentence."""
        if not self.aliases:
            return "No run stands under an alias."
        return f"Under an alias: {enumeration(self.aliases)}."


def publication_preview(*, release: Release) -> PublicationPreview:
    """Read what becomes public with a release; three queries."""
    files = list(release.files.order_by("path"))
    runs = list(release.runs.order_by("alias"))
    return PublicationPreview(
        release=release,
        documents=[file for file in files if _is_document(file)],
        tables=[file for file in files if not _is_document(file)],
        named_runs=[run.alias for run in runs if run.shows_name],
        aliases=[run.alias for run in runs if not run.shows_name],
        faults=publication_faults(release=release),
    )


def _is_document(file: ReleaseFile) -> bool:
    """True for a file that people read as it is; packed labels have no rows either."""
    return file.n_rows is None and not file.path.endswith(".gz")


def publication_faults(*, release: Release) -> list[str]:
    """Reasons for which a release cannot be published, as sentences; one query.

    A run that was hidden since it was made, or whose name may not be published any more, keeps it
    back: its uploader decides what becomes public. One that was deleted does not.
    """
    if not release.is_available:
        return [f"Release {release.version} is not made, or it is withdrawn."]
    faults = [] if has_file(release=release) else ["Its archive is not in the store."]
    runs = ReleaseRun.objects.filter(release=release)
    taken_back = Q(run__is_hidden=True) | Q(shows_name=True, run__may_be_published=False)
    faults += [
        f"Run {alias} was hidden since, or its name may not be published any more: make a new "
        "release without it."
        for alias in runs.filter(taken_back).order_by("alias").values_list("alias", flat=True)
    ]
    return faults


@transaction.atomic
def publish(*, release: Release, by: User | None) -> None:
    """Make a release public. Raises ReleaseRefused."""
    release = _locked(release)
    if release.published_at is not None:
        raise ReleaseRefused(f"Release {release.version} is public already.")
    if faults := publication_faults(release=release):
        raise ReleaseRefused(" ".join(faults))
    Release.objects.filter(pk=release.pk).update(published_at=Now())
    note_step(release=release, kind=ReleaseEventKind.PUBLISHED, by=by)


@transaction.atomic
def unpublish(*, release: Release, by: User | None) -> None:
    """Take the publication of a release back. Raises ReleaseRefused."""
    release = _locked(release)
    if release.published_at is None:
        raise ReleaseRefused(f"Release {release.version} is not public.")
    Release.objects.filter(pk=release.pk).update(published_at=None)
    note_step(release=release, kind=ReleaseEventKind.UNPUBLISHED, by=by)


def _locked(release: Release) -> Release:
    return Release.objects.select_for_update(no_key=True).get(pk=release.pk)
