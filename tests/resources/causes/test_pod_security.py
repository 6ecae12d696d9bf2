"""Pod security levels that refuse Pods."""

from tests.resources.causes.objects import only, refused

MESSAGE = (
    'pods "web-7d4b9c6f5-x2x8p" is forbidden: violates PodSecurity "restricted:latest": '
    "allowPrivilegeEscalation != false "
    '(container "web" must set securityContext.allowPrivilegeEscalation=false), unrestricted '
    'capabilities (container "web" '
    'must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "web" must set '
    'securityContext.runAsNonRoot=true), seccompProfile (pod or container "web" must set '
    'securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")'
)


def test_it_works() -> None:
    cause = only("pod_security", refused(MESSAGE))
    assert cause.sentence == (
        "web can't create Pods: namespace shop enforces Pod security level restricted: "
        "allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, …"
    )
    assert cause.raw == MESSAGE
    assert cause.links[1].target.kind == "Namespace"
