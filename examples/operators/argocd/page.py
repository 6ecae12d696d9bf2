"""The page of the server's stand-in: the name of the Argo CD, its settings, and that it is only simulated. Pure."""

from __future__ import annotations

import html
from collections.abc import Mapping

_STYLE = (
    ":root{color-scheme:light dark}body{font:1rem/1.6 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0"
    " 1.25rem}h1{line-height:1.2}.mark{border-inline-start:.3rem solid #d9730d;padding:.25rem"
    " 1rem}th{text-align:start;font-weight:600;padding-inline-end:2rem;vertical-align:top}td,th{padding-block:.2rem}"
)
#: What the page tells of argocd-cm: its key there, and the name of the field of the spec.
_SETTINGS = (
    ("users.anonymous.enabled", "spec.usersAnonymousEnabled"),
    ("admin.enabled", "spec.disableAdmin, the other way round"),
    ("statusbadge.enabled", "spec.statusBadgeEnabled"),
    ("help.chatUrl", "spec.helpChatURL"),
    ("dex.config", "spec.sso.dex.config"),
)


def page(component: str, instance: str, namespace: str, settings: Mapping[str, str]) -> bytes:
    """The page. `settings`: the contents of argocd-cm, empty for other components than the server."""
    who = f"{html.escape(component)} of {html.escape(instance)}"
    rows = "".join(
        f"<tr><th scope=row>{key}<td><code>{html.escape(settings[key])}</code><td>{field}"
        for key, field in _SETTINGS
        if key in settings
    )
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport"'
        f' content="width=device-width"><title>{html.escape(instance)} (simulated Argo'
        f" CD)</title><style>{_STYLE}</style><body><main>{_banner(settings)}<h1>{html.escape(instance)}</h1><p"
        f" class=mark>This is the {who} in the namespace <strong>{html.escape(namespace)}</strong>. It is"
        " <strong>simulated</strong>: the operator is the one of the tutorial, and there is no Argo CD behind this"
        f" page.</p><p>{_visitor(settings)}</p>"
        + (f"<h2>Its settings</h2><table>{rows}</table>" if rows else "")
        + "<p>The ConfigMap <code>argocd-cm</code> has them; edit the ArgoCD, and this page follows in a moment. "
        "To reach the real program, install Argo CD of the community's catalog on a cluster that runs containers.</p>"
        "</main></html>\n"
    ).encode()


def _banner(settings: Mapping[str, str]) -> str:
    text, url = settings.get("ui.bannercontent", ""), settings.get("ui.bannerurl", "")
    if not text:
        return ""
    shown = html.escape(text)
    linked = (
        f'<a href="{html.escape(url)}" rel="noreferrer">{shown}</a>'
        if url.startswith(("https://", "http://"))
        else shown
    )
    return f"<p role=note>{linked}</p>"


def _visitor(settings: Mapping[str, str]) -> str:
    if settings.get("users.anonymous.enabled") == "true":
        return "Anonymous users are allowed: an Argo CD would show you its applications now, without signing in."
    return "Anonymous users are not allowed: an Argo CD would ask you to sign in now."
