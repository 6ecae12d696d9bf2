"""Which part of a cluster is broken when its API server answers with an error of its own: a webhook that it has to
ask, or another API server.

Told by the words of kube-apiserver, which are the same since webhooks exist: apiextensions-apiserver
pkg/apiserver/conversion/webhook_converter.go, apiserver pkg/admission/plugin/webhook/errors, kube-aggregator
pkg/apiserver/handler_proxy.go.
"""

import re

from django.utils.translation import gettext as _

from kube.errors import KubeError

_CONVERSION = re.compile(r"conversion webhook for (?P<api>\S+), Kind=(?P<kind>\w+) failed", re.S)
_ADMISSION = re.compile(r'failed calling webhook "(?P<name>[^"]+)"')
_SERVICE = re.compile(r'service "(?P<name>[^"]+)" not found')


def words(error: KubeError) -> tuple[str, str] | None:
    """(title, advice), None for any other error."""
    text = str(error)
    if found := _CONVERSION.search(text):
        title = _("%(kind)s objects can't be converted to this version") % {"kind": found["kind"]}
        if service := _SERVICE.search(text):
            advice = _(
                "The custom resource definition names a conversion webhook whose Service “%(name)s” doesn't "
                "exist. Reinstall the operator that provides it, or set spec.conversion.strategy of the "
                "definition to None if the versions don't differ. Other resource types aren't affected."
            )
            return title, advice % {"name": service["name"]}
        return title, _(
            "The conversion webhook of the custom resource definition isn't responding correctly. Check "
            "the Pods of the operator that runs it, and the certificate (caBundle) in the definition. "
            "Objects can still be read in their stored version; other resource types aren't affected."
        )
    if found := _ADMISSION.search(text):
        title = _("The webhook “%(name)s” isn't responding") % {"name": found["name"]}
        return title, _(
            "The cluster must call this webhook before it accepts the change. Check the Pods of the "
            "operator that runs it. The ValidatingWebhookConfiguration or MutatingWebhookConfiguration "
            "names the Service; its failurePolicy defines what happens without a response."
        )
    if error.code == 503:
        return _("The server of this API isn't responding"), _(
            "This API group is served by another server, which is down or missing. Other resource types aren't"
            " affected. The group's APIService names the Service and says why it isn't available."
        )
    return None
