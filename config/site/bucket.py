"""The operator's bucket. Needs boto3: see requirements/s3.in."""

import errno

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, ConnectionError, HTTPClientError
from storages.backends.s3 import S3Storage

# By default boto3 waits for a minute, five times.
PATIENCE = Config(connect_timeout=10, read_timeout=30, retries={"total_max_attempts": 2})


class Bucket(S3Storage):  # type: ignore[misc]  # it has no types
    """A bucket whose outages raise OSError, as a disk's do, so that work is repeated afterwards."""

    client_config: Config

    def __init__(self, **options: object) -> None:
        super().__init__(**options)
        self.client_config = self.client_config.merge(PATIENCE)

    def listdir(self, name: str) -> tuple[list[str], list[str]]:
        """List the folders and files of a folder."""
        try:
            folders, files = super().listdir(name)
        except (ConnectionError, HTTPClientError) as error:
            raise _outage(error) from error
        except ClientError as error:
            status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
            if status == 429 or status >= 500:
                raise _outage(error) from error
            raise
        return folders, files


def _outage(error: BotoCoreError | ClientError) -> OSError:
    return OSError(errno.EHOSTUNREACH, f"The bucket of MEDIA_STORAGE does not serve: {error}")
