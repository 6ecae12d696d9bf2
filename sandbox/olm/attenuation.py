"""An OperatorGroup may name a ServiceAccount: then an InstallPlan is carried out with its rights, and no others.

Source: operator-lifecycle-manager, pkg/lib/scoped. What is not done here: judging the escalation of the rights that
roles give.
"""

from __future__ import annotations

from typing import Any

from ..cluster import Cluster
from ..errors import NotFound
from ..http import User
from ..rbac import Attributes, Authorizer
from .names import OPERATOR_GROUPS

Object = dict[str, Any]


class Attenuated:
    """The account of a namespace's OperatorGroup; nothing is refused where none is named."""

    def __init__(self, cluster: Cluster, authorizer: Authorizer, namespace: str):
        self._cluster, self._authorizer, self._namespace = cluster, authorizer, namespace
        groups = cluster.list(OPERATOR_GROUPS, namespace)
        self._account = str((groups[0].get("spec") or {}).get("serviceAccountName") or "") if len(groups) == 1 else ""

    def reference(self) -> Object | None:
        """The account as the plan's status names it."""
        if not self._account:
            return None
        try:
            meta = self._cluster.get("serviceaccounts", self._account, self._namespace)["metadata"]
        except NotFound:
            return None
        fields = {key: meta[key] for key in ("name", "namespace", "resourceVersion", "uid")}
        return {"apiVersion": "v1", "kind": "ServiceAccount", **fields}

    def check(self, obj: Object) -> None:
        """Raises Forbidden, in the API server's words, when the account can't create the object."""
        resource = self._cluster.resource_for(obj["apiVersion"], obj["kind"])
        if not self._account or resource is None:
            return
        name, _, group = resource.key.partition(".")
        groups = ("system:serviceaccounts", f"system:serviceaccounts:{self._namespace}", "system:authenticated")
        user = User(f"system:serviceaccount:{self._namespace}:{self._account}", groups)
        place = self._namespace if resource.namespaced else ""
        self._authorizer.check(user, Attributes("create", group, name, "", place))
