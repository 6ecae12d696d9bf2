"""Undoing changes: back to a version of the history, one change of it, or the user's last change.

Always by the review page, and with the user's own permissions.
"""

from dataclasses import replace

from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.web.request import ConsoleRequest
from kube.errors import NotFound
from kube.objects import KubeObject
from resources.history import lives, stored_object, timeline, writes
from resources.place import Place, place_of
from resources.views.shell import YAML, Shell
from resources.views.submission import Draft
from resources.views.work import Work


class Returning(Work):
    """A Work that begins with its review; `not_restored`: a note on what it does not bring back."""

    not_restored = ""

    def shell(self, written: Draft, asked: str = "") -> Shell:
        made = super().shell(written, asked)
        return replace(made, note=self.not_restored) if self.not_restored else made


@require_safe
def step(
    request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str, step: int
) -> HttpResponse:
    """The review of going back to the version after that step; with `?only=1` of taking back that one change and
    nothing else.
    """
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    row = lives.step_of(request.cluster, place, step)
    only = request.GET.get("only") == "1"
    made = timeline.versions(row.traced, (row.pk, -row.pk))
    target = made.get(-row.pk if only else row.pk)
    if target is None:
        raise NotFound(_("This version of %(what)s is no longer stored.") % {"what": place.kubectl})
    seen = lives.served(request.cluster, row.traced) or place
    if row.traced.deleted_at is not None:
        return _again(request, seen, target)
    began = made[row.pk] if only else None
    return _back(request, seen, began, target)


@require_safe
def undo(request: ConsoleRequest, key: str) -> HttpResponse:
    """The review of taking back one of the user's own changes; of something that was created, the question whether
    to delete it.
    """
    row = writes.find(request.cluster, key)
    if row is None or not writes.undoable(row):
        raise NotFound(_("This change can't be undone: it is too old, or was made by another user."))
    type_ = request.cluster.find(row.group, row.version, row.plural)
    place = Place(type_, row.namespace, row.name)
    before, after = writes.objects(row)
    if before is None:
        return HttpResponseRedirect(place.url("delete"))
    return _again(request, place, before) if after is None else _back(request, place, after, before)


def _back(request: ConsoleRequest, place: Place, began: KubeObject | None, target: KubeObject) -> HttpResponse:
    """`began`: what the target is compared with; changes that others made to other fields meanwhile stay.

    None: the object as it is now.
    """
    live = place.get(request.cluster)
    work = Returning(request, place, YAML, editing=True)
    if stored_object.any_hidden(target):
        work.not_restored = _(
            "Passwords and other secret values aren't stored in the history. They stay as they are now."
        )
    original = writes.reverted(began, live) if began is not None else writes.reverted(kept_of(live), live)
    written = Draft(obj=writes.reverted(target, live), original=original)
    return work.send(written, dry_run=True)


def kept_of(live: KubeObject) -> KubeObject:
    """The live object as people write it, nothing hidden."""
    return {key: value for key, value in live.items() if key != "status"}


def _again(request: ConsoleRequest, place: Place, version: KubeObject) -> HttpResponse:
    """Creating it again."""
    work = Returning(request, Place(place.type, place.namespace), YAML)
    words = {
        "values": _("passwords and other secret values (enter them again)"),
        "owners": _("its owners"),
        "data": _("the data in the volume"),
        "contents": _("the contents of the namespace"),
        "instances": _("the objects of this resource type, which were deleted with it"),
        "owned": _("owned objects, unless the operator creates them again"),
    }
    lost = ", ".join(words[code] for code in writes.lost_parts(place.type.kind, version))
    work.not_restored = _("The new object has a new uid. Not restored: %(what)s.") % {"what": lost}
    return work.send(Draft(obj=writes.recreated(version), start="", begun="-"), dry_run=True)
