"""An ArgoCD as the rest of the operator reads it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from examples.operators.body import Body

Object = dict[str, Any]

GROUP, VERSION = "argoproj.io", "v1beta1"
#: On everything that the real operator makes; here it leads from an object to its ArgoCD.
PART_OF, INSTANCE = "app.kubernetes.io/part-of", "app.kubernetes.io/managed-by"
NAME, COMPONENT = "app.kubernetes.io/name", "app.kubernetes.io/component"


@dataclass(frozen=True, slots=True)
class ArgoCD(Body):
    """One ArgoCD."""

    @property
    def generation(self) -> int:
        return int(self.body["metadata"].get("generation", 1))

    @property
    def selector(self) -> str:
        """What selects everything that belongs to it."""
        return f"{PART_OF}=argocd,{INSTANCE}={self.name}"

    def setting(self, name: str) -> Object:
        """A section of the spec; empty when it is not there."""
        return dict(self.spec.get(name) or {})

    @property
    def provider(self) -> str:
        """The single sign-on provider: `dex`, or empty."""
        return str(self.setting("sso").get("provider") or "").lower()

    @property
    def dex(self) -> Object:
        return dict(self.setting("sso").get("dex") or {})

    def mistake(self) -> str:
        """What only the operator can refuse, in the words of the real one (argocd-operator,
        controllers/argocd/sso.go); '' when all is well.
        """
        sso = self.spec.get("sso")
        if sso is None:
            return ""
        if not self.provider:
            what = "Cannot specify SSO provider spec without specifying SSO provider type" if self.dex else ""
        elif self.provider != "dex":
            what = "Unsupported SSO provider type. Supported provider is dex"
        elif not self.dex.get("config") and not self.dex.get("openShiftOAuth"):
            what = "must supply valid dex configuration when requested SSO provider is dex"
        else:
            what = ""
        return f"illegal SSO configuration: {what}" if what else ""

    def owner(self) -> Object:
        """What makes an object go when the ArgoCD goes: the cluster's garbage collector reads it."""
        return {
            "apiVersion": f"{GROUP}/{VERSION}",
            "kind": "ArgoCD",
            "name": self.name,
            "uid": self.uid,
            "controller": True,
            "blockOwnerDeletion": True,
        }

    def owns(self, obj: Object) -> bool:
        """Whether this Argo CD is the object's controller."""
        owners = obj["metadata"].get("ownerReferences") or []
        return any(item.get("controller") and item["uid"] == self.uid for item in owners)
