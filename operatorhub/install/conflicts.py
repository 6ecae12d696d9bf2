"""The conflicts of an install: each in words, at the field it is about, with remedies. Also the words for install modes
and for why approval is manual.

Sources: operator groups https://olm.operatorframework.io/docs/advanced-tasks/operator-scoping-with-operatorgroups/ ;
manual approval https://olm.operatorframework.io/docs/concepts/olm-architecture/operator-catalog/dependency-resolution/
; provided APIs: operator-lifecycle-manager, pkg/controller/operators/olm/groups.go.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from kube.objects import KubeObject, name_of
from operatorhub import olm
from operatorhub.bundle.contents import Need
from operatorhub.bundle.package import Channel, Description, Manifest
from operatorhub.install.choices import (
    ALL,
    APPROVALS,
    AUTOMATIC,
    LABEL,
    MANUAL,
    MULTI,
    NEW,
    OWN,
    SINGLE,
    Choices,
    forced,
)
from operatorhub.install.situation import Situation

NO_VERSION = gettext_lazy("The channel %(channel)s has no version %(version)s. Choose a version from the list.")
NO_MODE = gettext_lazy(
    "This version supports no install mode at all, so OLM can't install it. Choose another channel, or ask its"
    " maintainers."
)
WRONG_MODE = gettext_lazy("This install mode isn't supported. The operator supports: %(modes)s.")
OLD_KUBERNETES = gettext_lazy(
    "This version requires Kubernetes %(least)s, but this cluster has %(has)s, so OLM would "
    "wait indefinitely. Choose an older version, or upgrade the cluster."
)
BAD_NAMESPACE = gettext_lazy(
    "Use lowercase letters, digits and hyphens, at most 63 characters. Start and end with a letter or digit."
)
TERMINATING = gettext_lazy(
    "The namespace “%(name)s” is being deleted. Select another namespace, or wait until it is deleted."
)
SUBSCRIBED = gettext_lazy(
    "This operator is already installed in “%(namespace)s”, by the Subscription “%(name)s”. Choose another namespace,"
    " or uninstall it there first."
)
NAME_TAKEN = gettext_lazy(
    "“%(namespace)s” has a Subscription “%(name)s” for another package, “%(package)s”. Choose another namespace."
)
MANY_GROUPS = gettext_lazy(
    "“%(namespace)s” has more than one OperatorGroup (%(names)s); OLM installs nothing there until only one is left."
    " Choose another namespace, or delete all but one."
)
GROUP_UNSUPPORTED = gettext_lazy(
    "The OperatorGroup “%(group)s” in “%(namespace)s” uses the install mode %(present)s. This "
    "operator doesn't support it (supported: %(modes)s). Choose another namespace."
)
GROUP_DIFFERS = gettext_lazy(
    "The OperatorGroup “%(group)s” in “%(namespace)s” uses the install mode %(present)s. Choose "
    "that mode, or another namespace."
)
OVERLAP = gettext_lazy(
    "This operator is already installed in “%(namespace)s”, and both installations would watch "
    "the same namespaces. Uninstall the existing one first, or let each installation watch only "
    "its own namespace."
)
SHARED = gettext_lazy(
    "This operator is installed in another namespace too; both share their CustomResourceDefinitions."
)
NEIGHBOURS = gettext_lazy(
    "This namespace has other operators (%(names)s). OLM plans them together: with manual "
    "approval here, their updates wait for approval too."
)
UNREAD = gettext_lazy(
    "You don't have permission to list all %(kinds)s in the cluster, so conflicts with other "
    "namespaces aren't shown. The API server or OLM can still refuse the install."
)
_FORCED = {
    "older": gettext_lazy(
        "Manual, because you chose an older version: with automatic approval OLM would upgrade it to the newest"
        " immediately."
    ),
    "neighbour": gettext_lazy(
        "Manual, because another operator in this namespace requires it: OLM plans all operators of "
        "a namespace together."
    ),
    "token": gettext_lazy(
        "Manual, because the operator uses a cloud identity: a new version may need more cloud "
        "permissions, which you must grant before you approve it."
    ),
}


@dataclass(frozen=True, slots=True)
class Remedy:
    """A way out: a link. One that begins with `?` is this form again, with other choices."""

    label: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallConflict:
    """`field`: channel, version, mode, watch, namespace, approval or package. One that does not block is a warning."""

    key: str
    field: str
    words: str
    ways: tuple[Remedy, ...] = ()
    blocks: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallRequest:
    """All that the rules look at. `needs`: what the chosen version depends on."""

    manifest: Manifest
    channel: Channel
    about: Description
    situation: Situation
    choices: Choices
    exact: bool = True  # the description is that of the chosen version, and not of a newer one
    needs: tuple[Need, ...] = ()

    @property
    def groups(self) -> tuple[KubeObject, ...]:
        return self.situation.groups.get(self.choices.namespace, ())

    def again(self, label: str, **others: str) -> Remedy:
        return Remedy(label, f"?{self.choices.query(**others)}")


def find(asked: InstallRequest) -> tuple[InstallConflict, ...]:
    """All conflicts that follow from the situation alone, the most severe first."""
    found = [*_choices(asked), *_namespace(asked)]
    if not any(conflict.field == "namespace" for conflict in found):
        found += [*_subscribed(asked)]
    if not any(conflict.field in ("namespace", "mode") for conflict in found):
        found += [*_group(asked)]
    if not any(conflict.field in ("namespace", "mode") for conflict in found):
        found += [*_overlap(asked)]
    return (*found, *_approval(asked), *_neighbours(asked), *_unread(asked))


def _choices(asked: InstallRequest) -> Iterator[InstallConflict]:
    channel, about, choices = asked.channel, asked.about, asked.choices
    if choices.version and choices.version not in dict(channel.versions):
        ways: tuple[Remedy, ...] = (asked.again(_("Use the newest version"), version=""),)
        yield InstallConflict(
            key="version",
            field="version",
            words=NO_VERSION % {"channel": channel.name, "version": choices.version},
            ways=ways,
        )
    if not about.modes:
        yield InstallConflict(key="modes", field="mode", words=str(NO_MODE))
    elif choices.mode not in about.modes:
        modes = ", ".join(mode_words(mode) for mode in about.modes)
        ways = tuple(asked.again(mode_words(mode), mode=mode) for mode in about.modes)
        yield InstallConflict(key="mode", field="mode", words=WRONG_MODE % {"modes": modes}, ways=ways)
    elif choices.mode in (SINGLE, MULTI) and not asked.groups and (problem := _watch_problem(asked)):
        yield InstallConflict(key="watch", field="watch", words=problem)
    least = asked.about.min_kube
    if least and asked.situation.kubernetes and older(asked.situation.kubernetes, least):
        message = OLD_KUBERNETES % {"least": least, "has": asked.situation.kubernetes}
        yield InstallConflict(key="kubernetes", field="version", words=message, ways=(), blocks=asked.exact)


def _watch_problem(asked: InstallRequest) -> str:
    choices = asked.choices
    if not choices.watch:
        return (
            _("Choose the namespace to watch.")
            if choices.mode == SINGLE
            else _("Choose at least two namespaces to watch.")
        )
    if wrong := next((name for name in choices.watch if not LABEL.fullmatch(name)), ""):
        return _("“%(name)s” isn't a valid namespace name.") % {"name": wrong}
    if choices.mode == MULTI and len(choices.watch) < 2:
        return _("Choose at least two namespaces to watch.")
    if choices.mode == SINGLE and choices.watch == (choices.namespace,):
        return _(
            "The operator is installed in this namespace. Choose another namespace, or the mode “Only "
            "the namespace it is installed in”."
        )
    known = asked.situation.knows("namespaces")
    if known and (
        missing := [
            name for name in choices.watch if name not in asked.situation.namespaces and name != choices.namespace
        ]
    ):
        return _("The namespace “%(name)s” doesn't exist. Select an existing namespace.") % {"name": missing[0]}
    return ""


def _namespace(asked: InstallRequest) -> Iterator[InstallConflict]:
    name, situation = asked.choices.namespace, asked.situation
    if not name:
        yield InstallConflict(
            key="no-namespace", field="namespace", words=_("Choose a namespace, or type the name of a new one.")
        )
    elif not LABEL.fullmatch(name):
        yield InstallConflict(key="bad-namespace", field="namespace", words=str(BAD_NAMESPACE))
    elif situation.namespaces.get(name) == "Terminating":
        page = reverse("resources:detail", args=["core", "v1", "namespaces", "-", name])
        yield InstallConflict(
            key="terminating",
            field="namespace",
            words=TERMINATING % {"name": name},
            ways=(Remedy(_("View what blocks deletion"), page), *_elsewhere(asked)),
        )


def _elsewhere(asked: InstallRequest) -> tuple[Remedy, ...]:
    """Another namespace: a new one with a name that is free."""
    base = asked.choices.namespace[:60] or asked.manifest.name
    free = next(f"{base}-{number}" for number in range(2, 1000) if f"{base}-{number}" not in asked.situation.namespaces)
    return (
        asked.again(_("Use the new namespace %(name)s") % {"name": free}, install_namespace=NEW, new_namespace=free),
    )


def _subscribed(asked: InstallRequest) -> Iterator[InstallConflict]:
    name, package = asked.choices.namespace, asked.manifest.name
    for subscription in asked.situation.subscriptions:
        if subscription.namespace != name or package not in (subscription.package, subscription.name):
            continue
        open_it = Remedy(_("Open"), reverse("operatorhub:progress", args=[subscription.namespace, subscription.name]))
        values = {"namespace": name, "name": subscription.name, "package": subscription.package}
        if subscription.package == package:
            yield InstallConflict(
                key="subscribed", field="namespace", words=SUBSCRIBED % values, ways=(open_it, *_elsewhere(asked))
            )
        else:
            yield InstallConflict(
                key="name-taken", field="namespace", words=NAME_TAKEN % values, ways=(open_it, *_elsewhere(asked))
            )
        return


def _group(asked: InstallRequest) -> Iterator[InstallConflict]:
    """The namespace's OperatorGroup must be the only one and must agree with the mode."""
    groups, namespace, choices = asked.groups, asked.choices.namespace, asked.choices
    if not groups:
        return
    if len(groups) > 1:
        pages = [
            Remedy(
                _("Delete %(name)s") % {"name": name_of(group)},
                reverse("operatorhub:group-delete", args=[namespace, name_of(group)]),
            )
            for group in groups[:3]
        ]
        names = ", ".join(map(name_of, groups))
        yield InstallConflict(
            key="groups",
            field="namespace",
            words=MANY_GROUPS % {"namespace": namespace, "names": names},
            ways=(*pages, *_elsewhere(asked)),
        )
        return
    present = olm.group_modes(groups[0], namespace)
    values = {
        "group": name_of(groups[0]),
        "namespace": namespace,
        "present": mode_words(present),
        "modes": ", ".join(mode_words(mode) for mode in asked.about.modes),
    }
    edit = Remedy(
        _("Edit the OperatorGroup"),
        reverse("operatorhub:group", args=[namespace, name_of(groups[0])]),
    )
    if present not in asked.about.modes:
        yield InstallConflict(
            key="group-mode", field="namespace", words=GROUP_UNSUPPORTED % values, ways=(*_elsewhere(asked), edit)
        )
    elif not _agrees(groups[0], present, choices):
        take = asked.again(_("Use the mode: %(mode)s") % {"mode": mode_words(present)}, mode=present)
        yield InstallConflict(
            key="group-mode", field="mode", words=GROUP_DIFFERS % values, ways=(take, *_elsewhere(asked), edit)
        )


def _agrees(group: KubeObject, present: str, choices: Choices) -> bool:
    """An existing group is reused when it means what was chosen; who chose no targets takes the group's."""
    if present != choices.mode:
        return False
    return choices.mode in (ALL, OWN) or not choices.watch or set(olm.group_targets(group)) == set(choices.watch)


def _overlap(asked: InstallRequest) -> Iterator[InstallConflict]:
    """Two installs of one operator must not watch the same namespace."""
    choices, package = asked.choices, asked.manifest.name
    mine = set(olm.group_targets(asked.groups[0]) if asked.groups else choices.targets or (olm.EVERYWHERE,))
    for subscription in asked.situation.subscriptions:
        if subscription.package != package or subscription.namespace == choices.namespace:
            continue
        open_it = Remedy(_("Open"), reverse("operatorhub:progress", args=[subscription.namespace, subscription.name]))
        for group in asked.situation.groups.get(subscription.namespace, ()):
            theirs = set(olm.group_targets(group))
            if olm.EVERYWHERE in mine | theirs or mine & theirs:
                narrow = olm.EVERYWHERE not in theirs and choices.mode == ALL and OWN in asked.about.modes
                own = (asked.again(_("Watch its own namespace only"), mode=OWN),) if narrow else ()
                yield InstallConflict(
                    key="overlap",
                    field="mode",
                    words=OVERLAP % {"namespace": subscription.namespace},
                    ways=(open_it, *own),
                )
                return
    if any(
        subscription.package == package and subscription.namespace != choices.namespace
        for subscription in asked.situation.subscriptions
    ):
        yield InstallConflict(key="shared", field="package", words=str(SHARED), ways=(), blocks=False)


def _approval(asked: InstallRequest) -> Iterator[InstallConflict]:
    choices = asked.choices
    why = forced(
        channel=asked.channel,
        situation=asked.situation,
        package=asked.manifest.name,
        version=choices.version,
        namespace=choices.namespace,
        cfg=choices.config,
    )
    if choices.approval not in APPROVALS:
        yield InstallConflict(key="approval", field="approval", words=_("Choose automatic or manual approval."))
    elif why and choices.approval == AUTOMATIC:
        ways = (asked.again(_("Use manual approval"), approval=MANUAL),)
        yield InstallConflict(key="forced", field="approval", words=forced_words(why), ways=ways)


def _neighbours(asked: InstallRequest) -> Iterator[InstallConflict]:
    """Operators of one namespace are planned together."""
    choices = asked.choices
    others = [
        subscription
        for subscription in asked.situation.subscriptions
        if subscription.namespace == choices.namespace and subscription.package != asked.manifest.name
    ]
    if others and choices.approval == MANUAL and any(subscription.approval == AUTOMATIC for subscription in others):
        names = ", ".join(subscription.name for subscription in others)
        yield InstallConflict(
            key="neighbours",
            field="approval",
            words=NEIGHBOURS % {"names": names},
            ways=_elsewhere(asked),
            blocks=False,
        )


def _unread(asked: InstallRequest) -> Iterator[InstallConflict]:
    """Warns that conflicts with kinds that can't be listed go unnoticed."""
    if names := [kind for kind in asked.situation.unread if kind != "namespaces"]:
        message = UNREAD % {"kinds": ", ".join(names)}
        yield InstallConflict(key="unread", field="package", words=message, ways=(), blocks=False)


def older(has: str, least: str) -> bool:
    """Whether version `has` (v1.29.3-eks) is below `least` (1.30.0); what can't be read is not older."""

    def numbers(value: str) -> tuple[int, ...]:
        return tuple(int(part) for part in value.strip().lstrip("v").partition("-")[0].partition("+")[0].split("."))

    try:
        return numbers(has)[:3] < numbers(least)[:3]
    except ValueError:
        return False


def forced_words(why: str) -> str:
    """Why approval is manual; `why`: what choices.forced returns."""
    return str(_FORCED.get(why, ""))


def mode_words(name: str) -> str:
    """An install mode in words, with OLM's own name behind it."""
    return {
        "AllNamespaces": _("all namespaces (AllNamespaces)"),
        "OwnNamespace": _("its own namespace (OwnNamespace)"),
        "SingleNamespace": _("one other namespace (SingleNamespace)"),
        "MultiNamespace": _("several namespaces (MultiNamespace)"),
    }.get(name, name)
