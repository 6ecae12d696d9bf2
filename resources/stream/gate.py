"""Who may follow what: whoever may list and watch it, says the API server. Asked when a connection begins, and again as it ages."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from console.web.access import can
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError, NotFound
from resources.changes import Topic

# So often an open connection is judged again.
AGAIN_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """`type_` is None for a type that is not served (any more); `refusal` says why not, '' when it may be followed.

    `lasting`: the same question gets the same answer; asking again at once is useless.
    """

    topic: str
    type_: ResourceType | None
    refusal: str = ""
    lasting: bool = True


def may_follow(client: ClusterClient, text: str) -> Verdict:
    """Asks the API server (answers are kept for seconds). Never raises KubeError: a cluster that is down is no refusal for good."""
    try:
        topic = Topic.parse(text)
    except ValueError as error:
        return Verdict(text, None, str(error))
    if topic.cluster != client.name:
        return Verdict(text, None, _("%(cluster)s is not the cluster of this console") % {"cluster": topic.cluster})
    try:
        type_ = client.find(topic.group, topic.version, topic.plural)
        for verb in ("list", "watch"):
            if not can(client, verb, type_, topic.namespace).allowed:
                words = {"verb": verb, "plural": type_.plural, "namespace": topic.namespace or "-"}
                return Verdict(text, type_, _("you may not %(verb)s %(plural)s in namespace %(namespace)s") % words)
    except NotFound as error:
        return Verdict(text, None, str(error))
    except KubeError as error:
        return Verdict(text, None, str(error), lasting=False)
    return Verdict(text, type_)
