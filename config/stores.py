"""The folder or bucket in which the operator keeps media beside those that are uploaded."""

from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from django.core.exceptions import ImproperlyConfigured

LINK_SECONDS = 600  # how long a link into a bucket works


def media_store(address: str) -> dict[str, dict[str, object]]:
    """The entry of STORAGES for what MEDIA_STORAGE says: nothing, an absolute folder, or s3://bucket/folder?option=value.

    The options are django-storages' own, such as region_name and endpoint_url; keys to the bucket come from where
    boto3 looks for them. Raises ImproperlyConfigured for anything else.
    """
    if not address:
        return {}
    parts = urlsplit(address)
    if parts.scheme == "s3" and parts.netloc:
        options = {
            "bucket_name": parts.netloc,
            "location": parts.path.strip("/"),
            "querystring_auth": True,
            "querystring_expire": LINK_SECONDS,
            **dict(parse_qsl(parts.query)),
        }
        return {"collections": {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}}
    if not Path(address).is_absolute():
        raise ImproperlyConfigured(f'MEDIA_STORAGE is "{address}"; give an absolute folder, or s3://bucket/folder.')
    return {
        "collections": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": address}}
    }
