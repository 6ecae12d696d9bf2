"""Whether a CustomResourceDefinition may be served. It has been prepared: names that can be derived are filled in."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from structural.causes import Cause
from structural.dns import label_faults
from structural.words import forbidden, invalid, not_supported, required

from .crd.spec import check_group, check_names, check_stored, check_versions

_APPROVAL = "api-approved.kubernetes.io"
_PULL = "https://github.com/kubernetes/enhancements/pull/1111"


def check_crd(crd: dict[str, Any], old: dict[str, Any] | None = None) -> list[Cause]:
    """All complaints the API server has when the CRD is created or changed, but for those about its metadata and what stays."""
    spec = crd.get("spec")
    if not isinstance(spec, dict):
        return [required("spec")]
    stored = (crd.get("status") or {}).get("storedVersions") if old is not None else None
    causes = check_group(spec) + check_versions(spec) + check_stored(spec, stored)
    if old is None:
        causes = _check_name(crd, spec) + causes
    causes += check_names(spec.get("names") or {}, "spec.names")
    causes += _check_conversion(spec.get("conversion") or {})
    causes += _check_approval(crd, spec.get("group") or "")
    if spec.get("preserveUnknownFields"):
        detail = (
            "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
        )
        causes.append(invalid("spec.preserveUnknownFields", True, detail))
    return causes


def _check_name(crd: dict[str, Any], spec: dict[str, Any]) -> list[Cause]:
    name = (crd.get("metadata") or {}).get("name") or ""
    wanted = f"{(spec.get('names') or {}).get('plural') or ''}.{spec.get('group') or ''}"
    if not name or name == wanted:
        return []
    return [invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group')]


def _check_conversion(conversion: dict[str, Any]) -> list[Cause]:
    strategy, webhook, path = conversion.get("strategy"), conversion.get("webhook"), "spec.conversion"
    if not strategy:
        return [required(f"{path}.strategy")] if conversion else []
    if strategy not in ("None", "Webhook"):
        return [not_supported(f"{path}.strategy", strategy, ["None", "Webhook"])]
    client, reviews = (webhook or {}).get("clientConfig"), (webhook or {}).get("conversionReviewVersions") or []
    if strategy == "None":
        given = [("webhookClientConfig", client is not None), ("conversionReviewVersions", bool(reviews))]
        detail = "should not be set when strategy is not set to Webhook"
        return [forbidden(f"{path}.{name}", detail) for name, there in given if there]
    causes: list[Cause] = []
    if client is None:
        causes.append(required(f"{path}.webhookClientConfig", "required when strategy is set to Webhook"))
    elif bool(client.get("url")) == bool(client.get("service")):
        causes.append(required(f"{path}.webhookClientConfig", "exactly one of url or service is required"))
    return causes + _check_reviews(reviews, path)


def _check_reviews(versions: list[str], path: str) -> list[Cause]:
    place = f"{path}.conversionReviewVersions"
    if not versions:
        return [required(place)]
    causes: list[Cause] = []
    for index, version in enumerate(versions):
        if version in versions[:index]:
            causes.append(invalid(f"{place}[{index}]", version, "duplicate version"))
        elif faults := label_faults(version):
            causes.append(invalid(f"{place}[{index}]", version, faults))
    if not {"v1", "v1beta1"} & set(versions):
        causes.append(invalid(place, versions, "must include at least one of v1, v1beta1"))
    return causes


def _check_approval(crd: dict[str, Any], group: str) -> list[Cause]:
    """Kubernetes' own groups are protected; CRDs of the project carry an approval."""
    if not group.endswith((".k8s.io", ".kubernetes.io")) and group not in ("k8s.io", "kubernetes.io"):
        return []
    text = ((crd.get("metadata") or {}).get("annotations") or {}).get(_APPROVAL)
    place = f"metadata.annotations[{_APPROVAL}]"
    if not text:
        return [required(place, f'protected groups must have approval annotation "{_APPROVAL}", see {_PULL}')]
    found = urlsplit(text)
    if text.startswith("unapproved") or (found.scheme and found.netloc):
        return []
    detail = (
        f'protected groups must have approval annotation "{_APPROVAL}" with either a URL or a reason starting with '
        f'"unapproved", see {_PULL}'
    )
    return [invalid(place, text, detail)]
