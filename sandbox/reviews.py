"""Access, token and self subject reviews: answered when the object is created, never stored."""

from __future__ import annotations

import json
from typing import Any

from .errors import BadRequest, Invalid
from .http import User
from .objects import Object, dig, now
from .rbac import Attributes, Authorizer
from .resources import Resource
from .tokens import ISSUER, Tokens


def with_status(
    resource: Resource, namespace: str, obj: Object, user: User, access: Authorizer, tokens: Tokens
) -> Object:
    """The review with its status."""
    obj = dict(obj)
    obj["kind"], obj["apiVersion"] = resource.kind, resource.api_version
    obj.setdefault("metadata", {})
    obj["metadata"] = {**(obj["metadata"] or {})}
    if resource.kind == "SelfSubjectReview":
        obj["metadata"]["creationTimestamp"] = now()
    match resource.kind:
        case "SelfSubjectAccessReview":
            obj["status"] = _access(obj, user, access)
        case "SubjectAccessReview" | "LocalSubjectAccessReview":
            if resource.namespaced:
                obj["metadata"].setdefault("namespace", namespace)
                _check_local(obj, namespace)
            obj["status"] = _access(obj, _subject(obj), access)
        case "SelfSubjectRulesReview":
            asked, obj["spec"] = obj.get("spec"), {}
            if not dig(asked, "namespace"):
                raise BadRequest("no namespace on request")
            obj["status"] = _rules(str(dig(asked, "namespace")), user, access)
        case "SelfSubjectReview":
            obj["status"] = {"userInfo": user_info(user)}
        case "TokenReview":
            obj["status"] = _token(obj.get("spec") or {}, tokens)
    return obj


def user_info(user: User) -> Object:
    """authentication.k8s.io/v1 UserInfo."""
    info: Object = {"username": user.name}
    if user.uid:
        info["uid"] = user.uid
    info["groups"] = list(user.groups)
    if user.extra:
        info["extra"] = user.extra
    return info


def _refused(field: str, value_and_why: str) -> Invalid:
    """422; the API server forgets to say which kind it is about."""
    return Invalid("", "", [(field, "FieldValueInvalid", f"Invalid value: {value_and_why}")], "authorization.k8s.io")


def _check_local(obj: Object, namespace: str) -> None:
    given = dig(obj, "spec", "resourceAttributes", "namespace")
    if dig(obj, "spec", "resourceAttributes") is not None and given != namespace:
        raise _refused("spec.resourceAttributes.namespace", f'"{given or ""}": must match metadata.namespace')


def _subject(obj: Object) -> User:
    spec = obj.get("spec") or {}
    if not spec.get("user") and not spec.get("groups"):
        raise _refused("spec.user", '"": at least one of user or group must be specified')
    return User(spec.get("user", ""), tuple(spec.get("groups") or ()), spec.get("uid", ""))


def _access(obj: Object, user: User, access: Authorizer) -> Object:
    asked: Any = dig(obj, "spec", "resourceAttributes")
    paths: Any = dig(obj, "spec", "nonResourceAttributes")
    if asked is not None and paths is not None:
        shown = json.dumps({"Path": paths.get("path", ""), "Verb": paths.get("verb", "")}, separators=(",", ":"))
        raise _refused(
            "spec.nonResourceAttributes", f"{shown}: cannot be specified in combination with resourceAttributes"
        )
    if asked is None and paths is None:
        text = "null: exactly one of nonResourceAttributes or resourceAttributes must be specified"
        raise _refused("spec.resourceAttributes", text)
    if asked is not None:
        wanted = Attributes(
            verb=asked.get("verb", ""),
            group=asked.get("group", ""),
            resource=asked.get("resource", ""),
            subresource=asked.get("subresource", ""),
            namespace=asked.get("namespace", ""),
            name=asked.get("name", ""),
        )
        if not wanted.resource:
            wanted = wanted._replace(resource="\0")
    else:
        wanted = Attributes(paths.get("verb", ""), path=paths.get("path", ""))
    reason = access.allows(user, wanted)
    status: Object = {"allowed": reason is not None}
    if reason:
        status["reason"] = reason
    return status


def _rules(namespace: str, user: User, access: Authorizer) -> Object:
    resource_rules: list[Object] = []
    other_rules: list[Object] = []
    if "system:masters" in user.groups:
        resource_rules.append({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]})
        other_rules.append({"verbs": ["*"], "nonResourceURLs": ["*"]})
    for grant in access.grants(user):
        if grant.namespace and grant.namespace != namespace:
            continue
        for rule in grant.rules:
            if rule.get("resources"):
                fields = ("verbs", "apiGroups", "resources", "resourceNames")
                resource_rules.append({name: rule[name] for name in fields if rule.get(name)})
            elif rule.get("nonResourceURLs") and not grant.namespace:
                other_rules.append({name: rule[name] for name in ("verbs", "nonResourceURLs")})
    return {"resourceRules": resource_rules, "nonResourceRules": other_rules, "incomplete": False}


def _token(spec: Object, tokens: Tokens) -> Object:
    token = str(spec.get("token") or "")
    if not token:
        raise BadRequest("token is required for TokenReview in authentication")
    found = tokens.review(token, tuple(spec.get("audiences") or (ISSUER,)))
    if found.user is None:
        return {"user": {}, "error": found.why}
    return {"authenticated": True, "user": user_info(found.user), "audiences": list(found.audiences)}
