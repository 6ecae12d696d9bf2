"""`{% load console %}`: icons, ages, kubectl lines: what every template needs."""

from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from django import template
from django.conf import settings
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from console.prefer import times
from console.web.access import MissingPermission, missing_permission
from console.web.markdown import help_html
from console.web.markdown import instructions as instructions_html
from console.web.static import fonts
from kube.kubectl import Commands

register = template.Library()


@register.filter
def right(text: str) -> MissingPermission | None:
    """The right that a refusal names, for console/_refused.html."""
    return missing_permission(str(text))


@lru_cache(maxsize=128)
def _drawing(name: str) -> str:
    path = Path(settings.BASE_DIR) / "templates" / "icons" / f"{name}.svg"
    text = path.read_text(encoding="utf-8").strip()
    return text.replace(
        "<svg ", '<svg class="console-icon" width="16" height="16" aria-hidden="true" focusable="false" ', 1
    )


@register.simple_tag
def font_links() -> SafeString:
    """The fonts are asked for before the style sheet names them: what is drawn first has them or never gets them, so
    no word moves (`font-display: optional`).
    """
    link = '<link rel="preload" as="font" type="font/woff2" crossorigin href="{}">'
    return mark_safe("".join(format_html(link, address) for address in fonts()))  # noqa: S308  each is made safe


@register.simple_tag
def icon(name: str) -> SafeString:
    """The drawing templates/icons/<name>.svg, inline; decorative, so words must stand beside it."""
    return mark_safe(_drawing(name))  # noqa: S308  our own files


@register.filter
def age(timestamp: Any) -> str:
    """RFC 3339 text → `<time>` with the current age, or the time if the user prefers that; static/js/live/age.js
    updates it.
    """
    if not timestamp:
        return "–"
    try:
        then = (
            timestamp
            if isinstance(timestamp, datetime)
            else datetime.fromisoformat(str(timestamp).replace("Z", "+00:00"))
        )
    except ValueError:
        return str(timestamp)
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    return format_html(
        '<time datetime="{}" title="{}" data-age>{}</time>',
        then.isoformat(),
        then.strftime("%Y-%m-%d %H:%M:%S %Z"),
        times.age(then, datetime.now(UTC)) if times.relative() else times.words(then),
    )


@register.simple_tag
def age_units() -> dict[str, str]:
    """For static/js/live/age.js: the units of ages, and how two of them are put together."""
    return {"units": " ".join(times.units()), "pair": times.pair("%1", "%2")}


@register.filter
def moment(then: datetime | None) -> str:
    """The moment itself as text, where an age would not do; in UTC but for readers who want their own zone."""
    return times.words(then) if then else "–"


@register.simple_tag
def age_heading() -> str:
    """What stands above ages: they may be moments."""
    return times.heading()


@register.filter
def markdown(text: str) -> SafeString:
    """A field's description, which may be Markdown, as HTML that can do no harm."""
    return help_html(text)


@register.filter
def instructions(text: str) -> SafeString:
    """A quick start's Markdown as HTML that can do no harm, with buttons that copy its code."""
    return instructions_html(text, _copied_block, _copied_code)


def _copied_block(code: str) -> str:
    """As templates/components/code.html."""
    return format_html(
        '<div class="pf-v6-c-code-block"><div class="pf-v6-c-code-block__header">'
        '<div class="pf-v6-c-code-block__actions"><div class="pf-v6-c-code-block__actions-item">{}</div></div></div>'
        '<div class="pf-v6-c-code-block__content"><pre class="pf-v6-c-code-block__pre">'
        '<code class="pf-v6-c-code-block__code">{}</code></pre></div></div>',
        _copy_button(code, _("Copy")),
        code,
    )


def _copied_code(code: str) -> str:
    return format_html("<code>{}</code> {}", code, _copy_button(code, _("Copy %(key)s") % {"key": code}))


def _copy_button(code: str, label: str) -> SafeString:
    return format_html(
        '<button class="pf-v6-c-button pf-m-plain pf-m-small" type="button" data-copy="{}" aria-label="{}">'
        '<span class="pf-v6-c-button__icon">{}</span></button>',
        code,
        label,
        icon("copy"),
    )


@register.inclusion_tag("console/_kubectl.html")
def kubectl(command: str | Commands) -> dict[str, object]:
    """The command that does the same, with a button that copies it; `Commands` follow their form."""
    commands = command if isinstance(command, Commands) else None
    return {"command": str(command), "commands": commands, "label": _("kubectl equivalent")}
