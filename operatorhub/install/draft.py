"""Choices, the objects they mean, and what speaks against them, put together: what the form, the dry run and the API
show.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.objects import KubeObject
from operatorhub.bundle.package import Channel, Description, Manifest
from operatorhub.csv import mapping
from operatorhub.install import config, conflicts, owners, place_notes, situation
from operatorhub.install.choices import Choices, template
from operatorhub.install.choices import read as read_choices
from operatorhub.install.conflicts import InstallConflict, InstallRequest, Remedy
from operatorhub.install.objects import as_kubectl, as_yaml, is_new, objects
from operatorhub.install.situation import Situation


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallDraft:
    """An install that could be made now.

    It can be sent if there are no `errors`. `place_notes`: further notes on its namespace.
    """

    choices: Choices
    objects: tuple[KubeObject, ...]
    conflicts: tuple[InstallConflict, ...]
    creates_namespace: bool
    place_notes: tuple[str, ...] = ()

    @property
    def errors(self) -> Mapping[str, str]:
        """The first thing that holds it up, by field."""
        found: dict[str, str] = {}
        for conflict in self.conflicts:
            if conflict.blocks:
                found.setdefault(conflict.field, conflict.words)
        return {**found, **self.choices.config.errors}

    @property
    def blocking(self) -> tuple[InstallConflict, ...]:
        return tuple(conflict for conflict in self.conflicts if conflict.blocks)

    @property
    def warnings(self) -> tuple[InstallConflict, ...]:
        return tuple(conflict for conflict in self.conflicts if not conflict.blocks)

    @property
    def ways(self) -> Mapping[str, tuple[Remedy, ...]]:
        """Ways out of what `errors` names, by field."""
        found: dict[str, tuple[Remedy, ...]] = {}
        for conflict in self.blocking:
            found.setdefault(conflict.field, conflict.ways)
        return found

    @property
    def yaml(self) -> str:
        return as_yaml(self.objects)

    @property
    def kubectl(self) -> str:
        return as_kubectl(self.objects)


def make(asked: InstallRequest, client: ClusterClient | None = None) -> InstallDraft:
    """With a `client` the rules that ask the cluster about this one namespace and these kinds are looked at too."""
    if client is not None:
        problems = config.problems(client, asked.choices.config.spec)
        checked = config.checked(asked.choices.config, problems)
        asked = replace(asked, choices=replace(asked.choices, config=checked))
    choices, found = asked.choices, asked.situation
    found_conflicts = list(conflicts.find(asked))
    if client is not None and "namespace" not in {conflict.field for conflict in found_conflicts}:
        found_conflicts += [*_there(client, asked), *owners.find(client, asked)]
    found_conflicts = [
        replace(conflict, ways=_working(client, asked, conflict, found_conflicts)) for conflict in found_conflicts
    ]
    notes = mapping(asked.channel.desc.get("annotations"))
    made = objects(asked.manifest, notes, choices, found)
    remarks = place_notes.notes_of_place(found, choices, found_conflicts, template=bool(template(notes)))
    return InstallDraft(
        choices=choices,
        objects=made,
        conflicts=tuple(found_conflicts),
        creates_namespace=is_new(choices.namespace, found),
        place_notes=remarks,
    )


def is_possible(manifest: Manifest, channel: Channel, about: Description, found: Situation) -> bool:
    """Whether any choice of mode and namespace can be installed, as far as the situation alone tells."""
    for mode in about.modes:
        chosen = read_choices(
            data=QueryDict(urlencode({"mode": mode})),
            posted=False,
            channel=channel,
            about=about,
            situation=found,
            package=manifest.name,
            picked="",
        )
        asked = InstallRequest(manifest=manifest, channel=channel, about=about, situation=found, choices=chosen)
        tried = make(asked)
        # The watched namespaces aren't chosen yet; a problem with a working remedy doesn't count.
        held_up = [conflict for conflict in tried.blocking if conflict.field != "watch"]
        if all(any(way.url.startswith("?") for way in conflict.ways) for conflict in held_up):
            return True
    return False


def _working(
    client: ClusterClient | None, asked: InstallRequest, conflict: InstallConflict, present: Sequence[InstallConflict]
) -> tuple[Remedy, ...]:
    """The remedies of a conflict that work: tried with the choices that they mean, it is gone and nothing else holds
    the install up instead.

    Remedies that lead to another page are not tried: following a link changes nothing.
    """
    blocked = {other.key for other in present if other.blocks}
    ways = []
    for way in conflict.ways:
        if way.url.startswith("?"):
            left = _conflicts(client, _tried(asked, way))
            if conflict.key in {other.key for other in left}:
                continue
            if {other.key for other in left if other.blocks} - blocked:
                continue
        ways.append(way)
    return tuple(ways)


def _tried(asked: InstallRequest, way: Remedy) -> InstallRequest:
    """What is asked for after a remedy."""
    data, manifest = QueryDict(way.url.removeprefix("?")), asked.manifest
    chosen = read_choices(
        data=data,
        posted=False,
        channel=asked.channel,
        about=asked.about,
        situation=asked.situation,
        package=manifest.name,
        picked="",
    )
    return replace(asked, choices=chosen)


def _conflicts(client: ClusterClient | None, asked: InstallRequest) -> list[InstallConflict]:
    """What the situation tells, and what can only be asked of the cluster, as far as it holds an install up."""
    found = list(conflicts.find(asked))
    if client is not None and "namespace" not in {conflict.field for conflict in found}:
        found += [*_there(client, asked), *owners.blocking(client, asked)]
    return found


def _there(client: ClusterClient, asked: InstallRequest) -> list[InstallConflict]:
    """What only the chosen namespace can tell."""
    namespace, manifest = asked.choices.namespace, asked.manifest
    found = []
    if situation.visible(client, (manifest.namespace, manifest.catalog), manifest.name, namespace) is False:
        words = _(
            "The catalog “%(catalog)s” is in the namespace “%(home)s” and can't be used from "
            "“%(namespace)s”. Install the operator in the catalog's namespace, or add the catalog to "
            "the cluster's global namespace."
        ) % {"catalog": manifest.catalog, "home": manifest.namespace, "namespace": namespace}
        way = asked.again(_("Install in %(name)s") % {"name": manifest.namespace}, install_namespace=manifest.namespace)
        found.append(InstallConflict(key="invisible", field="namespace", words=words, ways=(way,)))
    if namespace in asked.situation.namespaces and (plan := situation.waiting_plan(client, namespace)):
        words = _(
            "The InstallPlan “%(plan)s” in “%(namespace)s” is waiting for approval. OLM creates no new "
            "plan there until it is approved or deleted."
        ) % {"plan": plan, "namespace": namespace}
        way = Remedy(_("Review"), conflicts.page_of_plan(namespace, plan))
        found.append(InstallConflict(key="waiting-plan", field="namespace", words=words, ways=(way,), blocks=False))
    return found
