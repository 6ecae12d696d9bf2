"""/extensions/<name>/delete/: all that goes with a ClusterExtension, its kinds with their objects too, before it
goes.
"""

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.access import refusal
from console.web.errors import explain
from console.web.request import ConsoleRequest
from kube.errors import KubeError
from operatorhub.extensions import facts, owned_objects


@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: ConsoleRequest, name: str) -> HttpResponse:
    """POST deletes exactly the one that the page showed."""
    client, problem = request.cluster, None
    type_ = facts.type_of(client)
    found = facts.read(client.get(type_, name))
    if request.method == "POST":
        try:
            with audit.recorded(request, "delete", facts.ref(name)):
                client.delete(type_, name, uid=request.POST.get("uid", ""))
        except KubeError as error:
            problem = explain(error)
        else:
            messages.success(
                request, _("%(name)s is being deleted, with all objects that it created.") % {"name": name}
            )
            return HttpResponseRedirect(reverse("operatorhub:extensions"))
    made = owned_objects.objects(client, name)
    context = {
        "extension": found,
        "objects": made,
        "instances": owned_objects.instances(client, made),
        "problem": problem,
        "refused": refusal(client, "delete", type_, "", name),
        "kubectl": f"kubectl delete clusterextension {name}",
    }
    return render.page(request, "operatorhub/extension_delete.html", context, status=problem.status if problem else 200)
