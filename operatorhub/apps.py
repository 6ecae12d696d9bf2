"""The room of catalogs and operators."""

from django.apps import AppConfig


class OperatorHubConfig(AppConfig):
    name = "operatorhub"
    default_auto_field = "django.db.models.BigAutoField"
