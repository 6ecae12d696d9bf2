"""`{% load catalogs %}`: words about the console's own catalogs."""

from django import template

from operatorhub.admin import catalog_kinds
from operatorhub.models import Catalog

register = template.Library()


@register.filter
def kind_label(row: Catalog) -> str:
    """What the catalog is read from, in a word."""
    return str(catalog_kinds.BY_VALUE[row.kind].label)
