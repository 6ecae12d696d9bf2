"""The audit as an app of its own, below all that write to it."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "console.audit"
    label = "audit"
