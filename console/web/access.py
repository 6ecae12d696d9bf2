"""Whether a user has a permission, and what a page says if not: SelfSubjectAccessReviews, cached for seconds.

The API server decides; the console has no RBAC of its own.
"""

import time
from threading import Lock

from django.utils.translation import gettext as _

from kube.client import Access, ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError

_KEEP_SECONDS = 10.0
_LIMIT = 4096
_answers: dict[tuple[str, ...], tuple[float, Access]] = {}
_lock = Lock()


def can(
    client: ClusterClient, verb: str, type_: ResourceType, namespace: str = "", name: str = "", subresource: str = ""
) -> Access:
    """The API server's answer for `verb` on `type_`, at most ten seconds old.

    Only for showing or disabling actions: the API server authorizes the action itself again.
    """
    key = (client.host, client.who, verb, type_.group, type_.plural, namespace, name, subresource)
    now = time.monotonic()
    with _lock:
        cached = _answers.get(key)
        if cached and cached[0] > now:
            return cached[1]
    answer = client.review(verb, type_, namespace, name, subresource)
    with _lock:
        if len(_answers) >= _LIMIT:
            _answers.clear()
        _answers[key] = (now + _KEEP_SECONDS, answer)
    return answer


def refusal(
    client: ClusterClient, verb: str, type_: ResourceType, namespace: str = "", name: str = "", subresource: str = ""
) -> str:
    """Why this user can't do it, for a disabled action; '' if they can.

    '' too when the API server doesn't answer the review: then the action itself shows what is wrong.
    """
    try:
        answer = can(client=client, verb=verb, type_=type_, namespace=namespace, name=name, subresource=subresource)
    except KubeError:
        return ""
    if answer.allowed:
        return ""
    resource = f"{type_.qualified}/{subresource}" if subresource else type_.qualified
    words = (
        _("You don't have permission to %(verb)s %(resource)s in the namespace “%(namespace)s”.")
        if namespace
        else _("You don't have permission to %(verb)s %(resource)s in the whole cluster.")
    )
    return answer.reason or words % {"verb": verb, "resource": resource, "namespace": namespace}
