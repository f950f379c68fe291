from django.apps import AppConfig


class PoolingConfig(AppConfig):
    name = "pooling"
    default_auto_field = "django.db.models.BigAutoField"
