"""What readers and members are told to lose before a release is taken back or withdrawn."""

from datetime import UTC, datetime

from metrics.models import Release
from metrics.services.releases import release_consequences

NOW = datetime(2026, 5, 4, 3, 2, tzinfo=UTC)


def test_a_withdrawal_tells_its_files_and_what_readers_see_in_their_place():
    act = release_consequences.withdrawal_of_release(
        release=Release(version="1.0", published_at=NOW), n_files=31
    )
    assert act.button == "Withdraw 1.0, with 31 files"
    assert act.sentences[0].startswith("It is deleted for good, with 31 files")
    assert "Readers, and whoever follows a citation, see in place" in act.sentences[1]
    assert act.way_back.startswith("It cannot be taken back")
    private = release_consequences.withdrawal_of_release(release=Release(version="1.0"), n_files=1)
    assert private.sentences[1].startswith("It is not public")


def test_a_publication_that_is_taken_back_leaves_members_all_of_it():
    act = release_consequences.unpublication_consequences(release=Release(version="1.0"))
    assert "finds nothing there" in act.sentences[0]
    assert "Members read and download it here as before." in act.sentences[1]
    assert act.way_back == "It can be published again here, at the same address."
