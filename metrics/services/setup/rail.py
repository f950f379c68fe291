"""The rail: the steps of a set-up beside the pages on which they are done."""

from typing import NamedTuple

from annotate import access
from annotate.access import Person
from annotate.models import Collection
from metrics.services.setup.steps import (
    STEP_PAGES,
    Setup,
    SetupStep,
    StepLine,
    StepState,
    setup,
)

# beside the pages of steps: the page of a file that was loaded, with its faults
RAIL_PAGES = {page for pages in STEP_PAGES.values() for page in pages} | {"annotate:import"}


class Rail(NamedTuple):
    """A set-up, and the step that is done on the present page, if one is."""

    setup: Setup
    present_step: SetupStep | None

    @property
    def lines(self) -> list[StepLine]:
        """The steps in their order."""
        return self.setup.lines(self.present_step)

    @property
    def title(self) -> str:
        """The present step, and its place among all."""
        if self.present_step is None:
            return self.setup.title
        number = self.setup.steps.index(self.present_step) + 1
        return f"Step {number} of {len(self.setup.steps)}: {self.present_step.title}"

    @property
    def next_address(self) -> str:
        """The page to which the links lead that go on."""
        return self.setup.address_after(self.present_step)

    @property
    def saved_text(self) -> str:
        """The words of the link that goes on once something was saved on the page.

        "" where the present step has to be done first.
        """
        if self.present_step is None or self.present_step.state == StepState.OPEN:
            return ""
        next_step = self.setup.next_after(self.present_step)
        return f"Go on to {next_step.title if next_step else 'the overview'}"

    @property
    def onward_text(self) -> str:
        """The words of the link that goes on, saved or not; "" as above."""
        if self.present_step and self.present_step.state == StepState.OPTIONAL:
            return f"Leave out, {self.saved_text.replace('Go', 'go', 1)}"
        return self.saved_text


def rail(*, collection: Collection, user: Person, page: str, import_kind: str = "") -> Rail | None:
    """The rail of a page by the name of its address; None where it has none, without a query.

    An archived collection has none: nothing can be done in its steps.

    import_kind : of the file that the page loads
    """
    if page not in RAIL_PAGES or collection.archived_at or not collection.is_being_set_up:
        return None
    roles = access.roles_in(user=user, collection=collection)
    steps = setup(collection=collection, roles=roles)
    return Rail(steps, steps.step_of(page, import_kind=import_kind))
