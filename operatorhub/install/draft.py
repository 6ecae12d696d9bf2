"""Choices, the objects they mean, and what speaks against them, put together: what the form, the dry run and the API show."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.objects import KubeObject
from operatorhub.bundle.package import Channel, Description, Manifest
from operatorhub.csv import mapping
from operatorhub.install import conflicts, owners, situation
from operatorhub.install.choices import Choices
from operatorhub.install.conflicts import Asked, Conflict, Way
from operatorhub.install.objects import as_kubectl, as_yaml, is_new, objects
from operatorhub.install.situation import Situation


@dataclass(frozen=True, slots=True)
class Draft:
    """An install that could be made now. It may be sent when there are no `errors`."""

    choices: Choices
    objects: tuple[KubeObject, ...]
    conflicts: tuple[Conflict, ...]
    creates_namespace: bool

    @property
    def errors(self) -> Mapping[str, str]:
        """The first thing that holds it up, by field."""
        found: dict[str, str] = {}
        for one in self.conflicts:
            if one.blocks:
                found.setdefault(one.field, one.words)
        return {**found, **self.choices.config.errors}

    @property
    def blocking(self) -> tuple[Conflict, ...]:
        return tuple(one for one in self.conflicts if one.blocks)

    @property
    def warnings(self) -> tuple[Conflict, ...]:
        return tuple(one for one in self.conflicts if not one.blocks)

    @property
    def ways(self) -> Mapping[str, tuple[Way, ...]]:
        """Ways out of what `errors` names, by field."""
        found: dict[str, tuple[Way, ...]] = {}
        for one in self.blocking:
            found.setdefault(one.field, one.ways)
        return found

    @property
    def yaml(self) -> str:
        return as_yaml(self.objects)

    @property
    def kubectl(self) -> str:
        return as_kubectl(self.objects)


def make(
    manifest: Manifest,
    channel: Channel,
    about: Description,
    found: Situation,
    choices: Choices,
    client: ClusterClient | None = None,
    exact: bool = True,
) -> Draft:
    """`exact`: `about` is the chosen version's own. With a `client` the rules that ask the cluster about this one namespace and these kinds are looked at too."""
    asked = Asked(manifest, channel, about, found, choices, exact)
    told = list(conflicts.find(asked))
    if client is not None and "namespace" not in {one.field for one in told}:
        told += [*_there(client, asked), *owners.find(client, asked)]
    notes = mapping(channel.desc.get("annotations"))
    made = objects(manifest, notes, choices, found)
    return Draft(choices, made, tuple(told), is_new(choices.namespace, found))


def _there(client: ClusterClient, asked: Asked) -> list[Conflict]:
    """What only the chosen namespace can tell."""
    namespace, manifest = asked.choices.namespace, asked.manifest
    found = []
    if situation.visible(client, (manifest.namespace, manifest.catalog), manifest.name, namespace) is False:
        words = _(
            "The catalog “%(catalog)s” lives in the namespace “%(home)s” and can not be used from “%(namespace)s”. Install in its own namespace, or add the catalog to the cluster's global namespace."
        ) % {"catalog": manifest.catalog, "home": manifest.namespace, "namespace": namespace}
        way = asked.again(_("Install in %(name)s") % {"name": manifest.namespace}, namespace=manifest.namespace)
        found.append(Conflict("invisible", "namespace", words, (way,)))
    if namespace in asked.situation.namespaces and (plan := situation.waiting_plan(client, namespace)):
        words = _(
            "The InstallPlan “%(plan)s” of “%(namespace)s” waits for approval. OLM plans nothing new there until it is approved or gone."
        ) % {"plan": plan, "namespace": namespace}
        way = Way(_("Look at it"), conflicts.page_of_plan(namespace, plan))
        found.append(Conflict("waiting-plan", "namespace", words, (way,), blocks=False))
    return found
