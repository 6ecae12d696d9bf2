"""The user's choices for an install, from a URL or a posted form, with defaults for what isn't chosen yet; and the
chosen version.

A PackageManifest describes a channel's newest version only. Where a catalog that the console has read holds the whole
bundle, the chosen version's own modes, kinds and permissions are shown; otherwise those of the newest version, marked
as such.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict

from kube.client import ClusterClient
from kube.errors import KubeError
from kube.objects import mapping
from operatorhub import olm
from operatorhub.bundle import bundles, contents, permissions
from operatorhub.bundle.bundles import Bundle
from operatorhub.bundle.contents import Need
from operatorhub.bundle.package import Channel, Description, Manifest
from operatorhub.bundle.permissions import Right
from operatorhub.csv import MODES
from operatorhub.install import config
from operatorhub.install.config import ConfigForm
from operatorhub.install.situation import Situation
from operatorhub.sources.drafts import SourceError
from untrusted import json_bounds

ALL, OWN, SINGLE, MULTI = MODES
NEW = "+"
#: The form's field for the namespace to install in. `namespace` is the page's own, the one that the namespace bar
#: shows.
PLACE = "install_namespace"
AUTOMATIC, MANUAL = APPROVALS = ("Automatic", "Manual")
LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """`version`: a CSV's name, '' for the channel's newest.

    `watch`: namespaces that Single- and MultiNamespace mean.
    """

    channel: str
    version: str
    mode: str
    namespace: str
    approval: str
    config: ConfigForm
    watch: tuple[str, ...] = ()
    monitoring: bool = False
    typed_new: bool = False
    #: What was chosen before approval had to be manual; '' where it is free. It comes back with another namespace or
    #: version.
    free_approval: str = ""

    @property
    def targets(self) -> tuple[str, ...]:
        """`targetNamespaces` of the OperatorGroup; empty means all."""
        return () if self.mode == ALL else (self.namespace,) if self.mode == OWN else self.watch

    def query(self, **others: str) -> str:
        """These choices as an address's query, some of them changed."""
        pairs = {
            "channel": self.channel,
            "version": self.version,
            "mode": self.mode,
            "approval": self.approval,
            "free_approval": self.free_approval,
            PLACE: NEW if self.typed_new else self.namespace,
            "new_namespace": self.namespace if self.typed_new else "",
            **others,
        }
        if PLACE in others and others[PLACE] != NEW:
            pairs["new_namespace"] = others.get("new_namespace", "")
        found = [(key, value) for key, value in pairs.items() if value or key in ("mode",)]
        found += [("watch", namespace) for namespace in self.watch]
        found += [(name, self.config.data[name]) for name in self.config.changed_data]
        return urlencode(found + ([("monitoring", "1")] if self.monitoring else []))


def template(annotations: Mapping[str, str]) -> Mapping[str, Any]:
    """The Namespace that the author would like (labels and annotations of it are kept), {} for most."""
    value = annotations.get("operatorframework.io/suggested-namespace-template", "")
    try:
        found = json_bounds.loads(value) if value.strip() else {}
    except ValueError:
        return {}
    return mapping(found)


def suggestion(about: Description, situation: Situation, mode: str, picked: str, package: str) -> str:
    """The namespace to begin with: the only one that can use the catalog; the one that the author suggests; for all
    namespaces one that has such a group; the picked one; the package's name.
    """
    if situation.catalog_home:
        return situation.catalog_home
    if about.suggested_namespace and LABEL.fullmatch(about.suggested_namespace):
        return about.suggested_namespace
    if mode == ALL:
        fitting = [
            name
            for name, groups in situation.groups.items()
            if len(groups) == 1 and olm.group_modes(groups[0], name) == ALL
        ]
        if fitting:
            return "operators" if "operators" in fitting else sorted(fitting)[0]
    elif picked:
        return picked
    name = re.sub(r"[^a-z0-9-]+", "-", package.lower())[:63].strip("-")
    return name or "operators"


def forced(channel: Channel, situation: Situation, package: str, version: str, namespace: str, cfg: ConfigForm) -> str:
    """Why approval has to be manual, as a key of conflicts._FORCED; '' where it is free."""
    if version != channel.csv and version in dict(channel.versions):
        return "older"
    if cfg.tokens:
        return "token"
    others = (
        subscription
        for subscription in situation.subscriptions
        if subscription.namespace == namespace and subscription.package != package
    )
    return "neighbour" if any(subscription.approval == MANUAL for subscription in others) else ""


def read(
    data: QueryDict, posted: bool, channel: Channel, about: Description, situation: Situation, package: str, picked: str
) -> Choices:
    """`posted`: keep what was sent, even if invalid. Otherwise a version of another channel is dropped, and manual
    approval is set where it is required.
    """
    mode = data.get("mode", "") or (about.modes[0] if about.modes else "")
    chosen = data.get(PLACE, "").strip()
    typed_new = chosen == NEW
    if typed_new:
        chosen = data.get("new_namespace", "").strip()
    elif not chosen or (not posted and data.get("was") and data["was"] != mode and data.get("suggested", "") == chosen):
        # The namespace that was only suggested for one mode gives way to the other mode's.
        chosen = suggestion(about, situation, mode, picked, package)
    version = data.get("version", "")
    if not posted and version not in dict(channel.versions):
        version = ""
    typed = ConfigForm(data, config.token_fields(channel.desc.annotations, situation.cloud))
    typed.full_clean()
    approval, free = data.get("approval", AUTOMATIC), data.get("free_approval", "")
    if not posted:
        approval, free = free or approval, ""
        if forced(channel=channel, situation=situation, package=package, version=version, namespace=chosen, cfg=typed):
            approval, free = MANUAL, approval
    single = [data.get("single", "").strip()] if mode == SINGLE else data.getlist("watch") if mode == MULTI else []
    if mode == SINGLE and not single[0]:
        single = data.getlist("watch")[:1]
    single += data.get("watch_lines", "").split("\n") if mode == MULTI else []
    watch = tuple(dict.fromkeys(name.strip() for name in single if name.strip()))
    return Choices(
        channel=channel.name,
        version=version,
        mode=mode,
        namespace=chosen,
        approval=approval,
        watch=watch,
        config=typed,
        monitoring=data.get("monitoring") == "1",
        typed_new=typed_new,
        free_approval=free,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallVersion:
    """`channel`: with the description of this version; `exact`: it is this version's and not a newer one's.

    `rights` None: unknown.

    `needs`: packages and kinds that it depends on, and kinds of the objects that it brings; from the channel's
    description alone where no catalog holds the bundle.
    """

    channel: Channel
    exact: bool
    rights: tuple[Right, ...] | None
    deprecated: str
    needs: tuple[Need, ...] = ()

    @property
    def level(self) -> str:
        """cluster-admin, elevated or ''."""
        return permissions.level(self.rights or ())


def read_version(client: ClusterClient, package: Manifest, channel: Channel, name: str, picked: str) -> InstallVersion:
    """`name`: a CSV's, '' for the newest."""
    wanted = name if name in dict(channel.versions) else channel.csv
    bundle = _bundle(client, package, wanted, picked)
    deprecated = channel.withdrawn.get(wanted, "")
    description = bundles.csv_description(bundle.csv) if bundle and bundle.csv else channel.desc
    needs = contents.needs(description, bundle.properties) if bundle else ()
    if bundle is None or bundle.partial or not bundle.csv:
        needs = needs or contents.needs(channel.desc)
        return InstallVersion(
            channel=channel, exact=wanted == channel.csv, rights=None, deprecated=deprecated, needs=needs
        )
    needs += contents.created(bundle.others, bundle.crds)
    described = channel if wanted == channel.csv else replace(channel, desc=description)
    return InstallVersion(
        channel=described, exact=True, rights=permissions.asked(bundle.csv), deprecated=deprecated, needs=needs
    )


def _bundle(client: ClusterClient, package: Manifest, name: str, picked: str) -> Bundle | None:
    """None where no catalog holds it."""
    try:
        return bundles.bundle(
            client=client,
            namespace=package.namespace,
            catalog=package.catalog,
            package=package.name,
            name=name,
            picked=picked,
        )
    except (KubeError, SourceError):
        return None
