"""Django's administration as an application, with the product's sign-in."""

from django.contrib.admin.apps import AdminConfig


class SiteAdminConfig(AdminConfig):
    """Registers the administration with Django."""

    default_site = "config.site.admin_site.SiteAdmin"
