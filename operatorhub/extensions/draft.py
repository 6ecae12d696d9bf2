"""The objects of an install by OLM v1, or the patch of an upgrade, from the user's choices; and the problems with them,
by field.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from kube.objects import KubeObject
from operatorhub.bundle.bundles import Bundle, Graph
from operatorhub.csv import install_modes, mapping
from operatorhub.extensions import needs
from operatorhub.extensions.candidates import Candidate, candidates, resolved
from operatorhub.extensions.facts import CATALOG_NAME, CATALOG_PROVIDED, GROUP, SELF_CERTIFIED, VERSION, Extension
from operatorhub.install.choices import LABEL as NAMESPACE_NAME
from operatorhub.install.situation import Situation
from resources import yamltext

_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_RANGE = re.compile(r"[\s\dvxX*.,|<>=!~^+\-A-Za-z]{0,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """`make_account`: the ServiceAccount and its rights are made too; `safe` False: upgrades of kinds are not
    checked.
    """

    name: str
    package: str
    catalog: str
    namespace: str
    account: str
    version: str = ""
    channels: tuple[str, ...] = ()
    policy: str = CATALOG_PROVIDED
    make_account: bool = True
    safe: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtensionDraft:
    """`target`: the version that OLM would take, None if there is none or it is unknown; `errors` by field."""

    choices: Choices
    objects: tuple[KubeObject, ...]
    candidates: tuple[Candidate, ...]
    target: Candidate | None
    errors: dict[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def yaml(self) -> str:
        return "---\n".join(yamltext.dump(item) for item in self.objects)

    @property
    def kubectl(self) -> str:
        return f"kubectl apply --server-side -f - <<'EOF'\n{self.yaml}EOF"


def target(
    graph: Graph | None, choices: Choices, installed: tuple[str, str] = ("", "")
) -> tuple[tuple[Candidate, ...], Candidate | None]:
    """All versions, and the one that OLM would take."""
    if graph is None:
        return (), None
    found = candidates(graph, choices.channels, choices.version, installed)
    return found, resolved(found, self_certified=choices.policy == SELF_CERTIFIED)


def new(
    choices: Choices,
    graph: Graph | None,
    bundle: Bundle | None,
    situation: Situation,
    taken: frozenset[str],
    *,
    accounts: bool,
) -> ExtensionDraft:
    """An install.

    `bundle`: the target's, None if no source has it; `accounts`: whether this OLM v1 acts with a ServiceAccount.
    """
    found, picked = target(graph, choices)
    errors = dict(_errors(choices, graph, picked, taken, accounts=accounts))
    objects: list[KubeObject] = []
    if choices.namespace and choices.namespace not in situation.namespaces and "namespaces" not in situation.unread:
        objects.append({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": choices.namespace}})
    if accounts and choices.make_account:
        made = needs.objects([bundle] if bundle else [], choices.name, choices.namespace, choices.account)
        # Without the bundle the required permissions are unknown: only the ServiceAccount is created.
        objects += made if bundle else made[:1]
    objects.append(extension(choices, accounts=accounts))
    return ExtensionDraft(
        choices=choices,
        objects=tuple(objects),
        candidates=found,
        target=picked,
        errors=errors,
        warnings=tuple(_warnings(choices, bundle, accounts=accounts)),
    )


def upgrade(
    present: Extension, choices: Choices, graph: Graph | None, bundles: list[Bundle], *, accounts: bool
) -> ExtensionDraft:
    """A change of what is installed.

    `bundles`: the installed one and the target, as far as they are known: the account needs the rights of both.
    """
    found, picked = target(graph, choices, (present.bundle, present.installed))
    errors = {}
    if not _RANGE.fullmatch(choices.version):
        errors["version"] = _("This isn't a valid version or version range.")
    elif graph is not None and picked is None:
        errors["version"] = _(
            "No version in these channels and this range can follow %(version)s. Change the range, add "
            "channels, or ignore the upgrade path."
        ) % {"version": present.installed or "–"}
    objects = (
        list(needs.objects(bundles, present.name, present.namespace, present.account))
        if accounts and choices.make_account and bundles
        else []
    )
    # The account is there: it is the roles that change.
    objects = [item for item in objects if item["kind"] != "ServiceAccount"]
    objects.append(extension(choices, accounts=accounts))
    return ExtensionDraft(
        choices=choices,
        objects=tuple(objects),
        candidates=found,
        target=picked,
        errors=errors,
        warnings=tuple(_warnings(choices, bundles[-1] if bundles else None, accounts=accounts)),
    )


def extension(choices: Choices, *, accounts: bool) -> KubeObject:
    """The ClusterExtension itself."""
    catalog: dict[str, Any] = {"packageName": choices.package}
    if choices.version:
        catalog["version"] = choices.version
    if choices.channels:
        catalog["channels"] = list(choices.channels)
    if choices.catalog:
        catalog["selector"] = {"matchLabels": {CATALOG_NAME: choices.catalog}}
    if choices.policy != CATALOG_PROVIDED:
        catalog["upgradeConstraintPolicy"] = choices.policy
    spec: dict[str, Any] = {"namespace": choices.namespace, "source": {"sourceType": "Catalog", "catalog": catalog}}
    if accounts:
        spec["serviceAccount"] = {"name": choices.account}
    if not choices.safe:
        spec["install"] = {"preflight": {"crdUpgradeSafety": {"enforcement": "None"}}}
    return {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": "ClusterExtension",
        "metadata": {"name": choices.name},
        "spec": spec,
    }


def change(wanted: KubeObject) -> KubeObject:
    """The merge patch that makes an extension what `wanted` says of version, channels, policy and checks; what it
    does not say goes.
    """
    spec = wanted["spec"]
    catalog = spec["source"]["catalog"]
    asked = {key: catalog.get(key) for key in ("version", "channels", "upgradeConstraintPolicy")}
    return {"spec": {"source": {"catalog": asked}, "install": spec.get("install")}}


def _errors(
    choices: Choices, graph: Graph | None, picked: Candidate | None, taken: frozenset[str], *, accounts: bool
) -> Iterator[tuple[str, str]]:
    if not _NAME.fullmatch(choices.name) or len(choices.name) > 253:
        yield (
            "name",
            _("Use lowercase letters, digits, hyphens and dots. Start and end with a letter or digit."),
        )
    elif choices.name in taken:
        yield (
            "name",
            _("A ClusterExtension “%(name)s” already exists. Use another name, or change the existing one.")
            % {"name": choices.name},
        )
    if not choices.package:
        yield "package", _("Select a package in OperatorHub, or type its name.")
    if not NAMESPACE_NAME.fullmatch(choices.namespace):
        yield "namespace", _("Choose a namespace, or type the name of a new one.")
    if accounts and not _NAME.fullmatch(choices.account):
        yield "account", _("Enter the name of a ServiceAccount. OLM v1 uses it for everything that it does.")
    if not _RANGE.fullmatch(choices.version):
        yield "version", _("This isn't a valid version or version range.")
    elif graph is not None and picked is None:
        yield "version", _("No version of the package fits these channels and this range.")


def _warnings(choices: Choices, bundle: Bundle | None, *, accounts: bool) -> Iterator[str]:
    if accounts and choices.make_account and bundle is None:
        yield _(
            "The permissions that the ServiceAccount needs can't be computed, because the bundle's manifests aren't"
            " available. OLM reports what is missing."
        )
    if bundle is not None and bundle.csv:
        spec = mapping(bundle.csv.get("spec"))
        if "AllNamespaces" not in install_modes(spec.get("installModes")):
            yield _(
                "This operator doesn't support watching all namespaces, the only install mode of OLM v1. "
                "OLM v1 will reject it."
            )
        if spec.get("webhookdefinitions"):
            yield _("The bundle has webhooks, which OLM v1 doesn't fully support.")
    if choices.policy == SELF_CERTIFIED:
        yield _(
            "The author's upgrade path is ignored: OLM installs any version, including older versions. "
            "Data can be lost."
        )
    if not choices.safe:
        yield _(
            "Changes to custom resource definitions aren't checked before an upgrade. Objects can become unreadable."
        )
