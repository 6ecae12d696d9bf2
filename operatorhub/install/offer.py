"""What the form offers: modes with the reason why one can't be had, namespaces, the cloud's fields; and the facts
beside it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from operatorhub import csv
from operatorhub.bundle.package import Channel, Description, Manifest
from operatorhub.csv import Api, mapping
from operatorhub.install import config, words
from operatorhub.install.choices import ALL, MULTI, OWN, SINGLE, Choices, forced
from operatorhub.install.objects import may_monitor, monitoring_home
from operatorhub.install.rights import Missing
from operatorhub.install.situation import Situation
from operatorhub.install.version import InstallVersion

#: Above this number a list of namespaces doesn't help, and slows down a page that is rendered on every choice: the form
#: has text fields instead.
MANY = 500


@dataclass(frozen=True, slots=True)
class Mode:
    """One install mode. `refused`: why it can't be chosen."""

    name: str
    label: str
    words: str
    refused: str


@dataclass(frozen=True, slots=True)
class ProvidedKind:
    """A card: a kind that the operator brings. `first`: it asks for one object of it before it works."""

    api: Api
    first: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallOptions:
    """All that the page shows beside what was chosen. `manual`: why approval must be manual."""

    manifest: Manifest
    channel: Channel
    about: Description
    situation: Situation
    modes: tuple[Mode, ...]
    suggested: str
    recommended: bool
    icon_name: str
    missing: tuple[Missing, ...]
    manual: str
    kinds: tuple[ProvidedKind, ...]
    tokens: tuple[tuple[str, str], ...]
    monitoring: str
    version_old: bool
    version: InstallVersion

    @property
    def listed(self) -> bool:
        """Whether namespaces are offered in lists."""
        return 0 < len(self.situation.namespaces) <= MANY


def make(
    manifest: Manifest,
    version: InstallVersion,
    about: Description,
    situation: Situation,
    choices: Choices,
    suggested: str,
    icon_name: str,
    missing: tuple[Missing, ...],
) -> InstallOptions:
    channel = version.channel
    notes = mapping(channel.desc.get("annotations"))
    first = mapping(csv.initialization(notes))
    why = forced(
        channel=channel,
        situation=situation,
        package=manifest.name,
        version=choices.version,
        namespace=choices.namespace,
        cfg=choices.config,
    )
    return InstallOptions(
        manifest=manifest,
        channel=channel,
        about=about,
        situation=situation,
        modes=tuple(modes(about)),
        suggested=suggested,
        recommended=bool(about.suggested_namespace) and suggested == about.suggested_namespace,
        icon_name=icon_name,
        missing=missing,
        manual=words.forced(why),
        kinds=tuple(ProvidedKind(api, api.kind == first.get("kind")) for api in about.apis),
        tokens=config.token_fields(notes),
        monitoring=monitoring_home(situation) if may_monitor(notes, choices, situation) else "",
        version_old=bool(choices.version) and choices.version != channel.csv,
        version=version,
    )


def modes(about: Description) -> Iterator[Mode]:
    """All four, in OLM's order."""
    texts = {
        ALL: (_("All namespaces of the cluster"), _("the usual choice")),
        OWN: (_("Only the namespace it is installed in"), ""),
        SINGLE: (_("One other namespace"), _("runs in its own namespace and watches the selected namespace")),
        MULTI: (_("Several namespaces"), _("runs in its own namespace and watches the selected namespaces")),
    }
    for name in csv.MODES:
        refused = "" if name in about.modes else _("not supported by this operator")
        yield Mode(name, texts[name][0], texts[name][1], refused)
