"""Fields by name, path or description: the list under the form's "Add field"."""

from django.http import HttpResponse, HttpResponseBadRequest
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from console.web.request import ConsoleRequest
from resources.forms import search
from resources.forms.schema import Schema
from resources.place import place_of
from resources.views import submission
from resources.writing import examples

LIMIT = 30


@require_POST
def find(request: ConsoleRequest, group: str, version: str, plural: str) -> HttpResponse:
    """`q`: the words; `~base`: the object that the form carries, whose items are named one by one."""
    place = place_of(request, group, version, plural, request.GET.get("namespace") or "-")
    try:
        base = submission.received(request.POST.get("~base", "") or "{}")
    except ValueError:
        return HttpResponseBadRequest(_("The form was empty. Reload the page."))
    schema = Schema.from_document(request.cluster.schema(place.type))
    descriptors = examples.offer(request.cluster, place.type, place.namespace).descriptors
    words = request.POST.get("q", "")[:200]
    hits = search.find(schema, base, descriptors, words, LIMIT + 1)
    context = {"hits": hits[:LIMIT], "more": len(hits) > LIMIT, "words": words}
    return render(request, "resources/form/found.html", context)
