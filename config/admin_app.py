"""Django's administration as an application, with the product's door."""

from django.contrib.admin.apps import AdminConfig


class SiteAdminConfig(AdminConfig):
    """Registers it with Django."""

    default_site = "config.admin_site.SiteAdmin"
