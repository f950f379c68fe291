"""Settings of a collection, and the people in it."""

from typing import Any

from assayer.client.collection.part import CollectionPart
from assayer.client.errors import AssayerError
from assayer.client.records.collections import CollectionFacts, Member, NewestPolicy
from assayer.client.records.people import Invitation, NewInvitation
from assayer.client.records.record import Records
from assayer.client.transport import Call, json_of, whole


class Settings(CollectionPart):
    """The facts and the policy of a collection, its members and invitations."""

    def facts(self) -> CollectionFacts:
        """The facts and settings of the collection."""
        return CollectionFacts.of(self.transport.read(self.address()))

    def change(self, **settings: Any) -> CollectionFacts:
        """Change settings, and leave the others; it is sent once.

        settings : licence, creators, cite_as, texts_may_leave, media_may_leave, hourly_pay,
            currency, query_groups, tentative_alpha, firm_alpha; is_archived
        """
        call = Call("PATCH", self.address(), json=settings)
        return CollectionFacts.of(json_of(self.transport.send(call, whole)))

    def policy(self) -> NewestPolicy:
        """The newest version of the policy, which pools opened from now on follow."""
        return NewestPolicy.of(self.transport.read(self.address("policy/")))

    def change_policy(self, **figures: Any) -> NewestPolicy:
        """Store a new version of the policy; what is not named stays as it is.

        figures : as labels_per_pair, double_share, ceiling, rule, tie; where pools or imports would
            follow it, the preview_key of policy/preview/ as well
        """
        return NewestPolicy.of(self.transport.create(self.address("policy/"), figures))

    def members(self, **filters: Any) -> Records[Member]:
        """The roles that people hold; a filter is `role`."""
        return self.listed(Member, "members/", filters)

    def invitations(self) -> Records[Invitation]:
        """The invitations that can still be used."""
        return self.listed(Invitation, "invitations/", {})

    def invite(self, role: str, **fields: Any) -> NewInvitation:
        """Make an invitation, whose `link` is for one person and shown this once.

        role : annotator, researcher or lead
        fields : email, days, by_mail
        Raises AssayerError where the link was lost with an answer: only a new one has one again.
        """
        fields = {"role": role, **fields}
        invitation = NewInvitation.of(self.transport.create(self.address("invitations/"), fields))
        if invitation.link is None and not invitation.by_mail:
            raise AssayerError(
                f"Invitation {invitation.id} was made, and its link was lost on the way: "
                "revoke it, and make another one."
            )
        return invitation

    def revoke_invitation(self, invitation: int) -> None:
        """Make the link of an invitation worthless, by its id; it is sent once."""
        call = Call("DELETE", self.address(f"invitations/{invitation}/"))
        self.transport.send(call, whole)
