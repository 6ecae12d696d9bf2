"""`{% load kinds %}`: what pages of custom kinds watch besides their objects."""

from typing import Any

from django import template

from resources import followable
from resources.types.managed import DEFINITIONS
from resources.types.types import is_custom

register = template.Library()


@register.simple_tag(takes_context=True)
def definition_topic(context: Any, group: str) -> str:
    """The topic of all definitions; '' for kinds that have none."""
    return followable.topics(context["request"].cluster, *DEFINITIONS) if is_custom(group) else ""
