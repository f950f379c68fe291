"""A receiver of webhooks that the site may send to."""

from collections.abc import Iterator

import pytest
from django.conf import LazySettings

from tests.annotate.services.webhooks.receiver import Receiver, running_receiver


@pytest.fixture
def receiver(settings: LazySettings) -> Iterator[Receiver]:
    """A receiver that the operator has listed."""
    with running_receiver() as receiver:
        settings.WEBHOOK_HOSTS = [receiver.authority]
        yield receiver
