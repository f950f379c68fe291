"""What wires the product together: settings, addresses, Celery, embedded servers."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
