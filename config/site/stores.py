"""The operator's folder or bucket of media, beside the uploaded ones."""

from importlib.util import find_spec
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from django.core.exceptions import ImproperlyConfigured

NO_BOTO3 = (
    "MEDIA_STORAGE names a bucket, and boto3 is not installed: with docker compose, write LOCK=s3 "
    "into .env and run `docker compose up --build`; "
    "elsewhere run `pip install --require-hashes -r requirements/s3.txt`."
)
LINK_SECONDS = 600  # lifetime of a link into a bucket


def media_store(address: str) -> dict[str, dict[str, object]]:
    """The entry of STORAGES for MEDIA_STORAGE: "", a folder, or s3://bucket/folder?option=value.

    The options are django-storages' own, such as region_name and endpoint_url; keys to the bucket
    come from where boto3 looks for them. Raises ImproperlyConfigured for anything else, and where
    boto3 is not installed.
    """
    if not address:
        return {}
    parts = urlsplit(address)
    if parts.scheme == "s3" and parts.netloc:
        if find_spec("boto3") is None:
            raise ImproperlyConfigured(NO_BOTO3)
        options = {
            "bucket_name": parts.netloc,
            "location": parts.path.strip("/"),
            "querystring_auth": True,
            "querystring_expire": LINK_SECONDS,
            **dict(parse_qsl(parts.query)),
        }
        return {"collections": {"BACKEND": "config.site.bucket.Bucket", "OPTIONS": options}}
    if not Path(address).is_absolute():
        raise ImproperlyConfigured(
            f'MEDIA_STORAGE is "{address}"; give an absolute folder, or s3://bucket/folder.'
        )
    return {
        "collections": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": address},
        }
    }
