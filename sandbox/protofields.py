"""Field numbers of the messages that kubectl's generators send, after k8s.io/api 1.36 ``generated.proto``.

One line a message: ``number:jsonName:type``. Types are messages, ``string bytes bool int time quantity intstr``,
``[]x`` (repeated) and ``map:x``; the name ``-`` stands for a message whose fields are its parent's in JSON. Left out:
volume sources and affinities that no generator writes, and status.
"""

from __future__ import annotations

_TABLE = """
Namespace 1:metadata:ObjectMeta 2:spec:NamespaceSpec
ObjectMeta 1:name:string 2:generateName:string 3:namespace:string 4:selfLink:string 5:uid:string
    6:resourceVersion:string 7:generation:int 8:creationTimestamp:time 9:deletionTimestamp:time
    10:deletionGracePeriodSeconds:int 11:labels:map:string 12:annotations:map:string
    13:ownerReferences:[]OwnerReference 14:finalizers:[]string
OwnerReference 5:apiVersion:string 1:kind:string 3:name:string 4:uid:string 6:controller:bool
    7:blockOwnerDeletion:bool
NamespaceSpec 1:finalizers:[]string
NamespaceStatus 1:phase:string 2:conditions:[]NamespaceCondition
NamespaceCondition 1:type:string 4:lastTransitionTime:time 5:reason:string 6:message:string
ConfigMap 1:metadata:ObjectMeta 4:immutable:bool 2:data:map:string 3:binaryData:map:bytes
Secret 1:metadata:ObjectMeta 5:immutable:bool 2:data:map:bytes 4:stringData:map:string 3:type:string
ServiceAccount 1:metadata:ObjectMeta 2:secrets:[]ObjectReference 3:imagePullSecrets:[]LocalObjectReference
    4:automountServiceAccountToken:bool
ObjectReference 1:kind:string 2:namespace:string 3:name:string 4:uid:string 5:apiVersion:string
    6:resourceVersion:string 7:fieldPath:string
LocalObjectReference 1:name:string
Service 1:metadata:ObjectMeta 2:spec:ServiceSpec
ServiceSpec 1:ports:[]ServicePort 2:selector:map:string 3:clusterIP:string 18:clusterIPs:[]string 4:type:string
    5:externalIPs:[]string 7:sessionAffinity:string 8:loadBalancerIP:string 9:loadBalancerSourceRanges:[]string
    10:externalName:string 11:externalTrafficPolicy:string 12:healthCheckNodePort:int 13:publishNotReadyAddresses:bool
    14:sessionAffinityConfig:SessionAffinityConfig 19:ipFamilies:[]string 17:ipFamilyPolicy:string
    20:allocateLoadBalancerNodePorts:bool 21:loadBalancerClass:string 22:internalTrafficPolicy:string
    23:trafficDistribution:string
ServicePort 1:name:string 2:protocol:string 6:appProtocol:string 3:port:int 4:targetPort:intstr 5:nodePort:int
SessionAffinityConfig 1:clientIP:ClientIPConfig
ClientIPConfig 1:timeoutSeconds:int
Pod 1:metadata:ObjectMeta 2:spec:PodSpec
PodSpec 1:volumes:[]Volume 20:initContainers:[]Container 2:containers:[]Container 3:restartPolicy:string
    4:terminationGracePeriodSeconds:int 5:activeDeadlineSeconds:int 6:dnsPolicy:string 7:nodeSelector:map:string
    8:serviceAccountName:string 9:serviceAccount:string 21:automountServiceAccountToken:bool 10:nodeName:string
    11:hostNetwork:bool 12:hostPID:bool 13:hostIPC:bool 27:shareProcessNamespace:bool
    14:securityContext:PodSecurityContext 15:imagePullSecrets:[]LocalObjectReference 16:hostname:string
    17:subdomain:string 19:schedulerName:string 22:tolerations:[]Toleration 23:hostAliases:[]HostAlias
    24:priorityClassName:string 25:priority:int 26:dnsConfig:PodDNSConfig 28:readinessGates:[]PodReadinessGate
    29:runtimeClassName:string 30:enableServiceLinks:bool 31:preemptionPolicy:string 32:overhead:map:quantity
    35:setHostnameAsFQDN:bool 36:os:PodOS 37:hostUsers:bool 38:schedulingGates:[]PodSchedulingGate
    40:resources:ResourceRequirements 41:hostnameOverride:string
Volume 1:name:string 2:-:VolumeSource
VolumeSource 1:hostPath:HostPathVolumeSource 2:emptyDir:EmptyDirVolumeSource 6:secret:SecretVolumeSource
    10:persistentVolumeClaim:PersistentVolumeClaimVolumeSource 19:configMap:ConfigMapVolumeSource
HostPathVolumeSource 1:path:string 2:type:string
EmptyDirVolumeSource 1:medium:string 2:sizeLimit:quantity
SecretVolumeSource 1:secretName:string 2:items:[]KeyToPath 3:defaultMode:int 4:optional:bool
KeyToPath 1:key:string 2:path:string 3:mode:int
PersistentVolumeClaimVolumeSource 1:claimName:string 2:readOnly:bool
ConfigMapVolumeSource 1:-:LocalObjectReference 2:items:[]KeyToPath 3:defaultMode:int
    4:optional:bool
Container 1:name:string 2:image:string 3:command:[]string 4:args:[]string 5:workingDir:string 6:ports:[]ContainerPort
    19:envFrom:[]EnvFromSource 7:env:[]EnvVar 8:resources:ResourceRequirements 23:resizePolicy:[]ContainerResizePolicy
    24:restartPolicy:string 9:volumeMounts:[]VolumeMount 21:volumeDevices:[]VolumeDevice 10:livenessProbe:Probe
    11:readinessProbe:Probe 22:startupProbe:Probe 12:lifecycle:Lifecycle 13:terminationMessagePath:string
    20:terminationMessagePolicy:string 14:imagePullPolicy:string 15:securityContext:SecurityContext 16:stdin:bool
    17:stdinOnce:bool 18:tty:bool
ContainerPort 1:name:string 2:hostPort:int 3:containerPort:int 4:protocol:string 5:hostIP:string
EnvFromSource 1:prefix:string 2:configMapRef:ConfigMapEnvSource 3:secretRef:SecretEnvSource
ConfigMapEnvSource 1:-:LocalObjectReference 2:optional:bool
SecretEnvSource 1:-:LocalObjectReference 2:optional:bool
EnvVar 1:name:string 2:value:string 3:valueFrom:EnvVarSource
EnvVarSource 1:fieldRef:ObjectFieldSelector 2:resourceFieldRef:ResourceFieldSelector
    3:configMapKeyRef:ConfigMapKeySelector 4:secretKeyRef:SecretKeySelector
ObjectFieldSelector 1:apiVersion:string 2:fieldPath:string
ResourceFieldSelector 1:containerName:string 2:resource:string 3:divisor:quantity
ConfigMapKeySelector 1:-:LocalObjectReference 2:key:string 3:optional:bool
SecretKeySelector 1:-:LocalObjectReference 2:key:string 3:optional:bool
ResourceRequirements 1:limits:map:quantity 2:requests:map:quantity 3:claims:[]ResourceClaim
ResourceClaim 1:name:string 2:request:string
ContainerResizePolicy 1:resourceName:string 2:restartPolicy:string
VolumeMount 1:name:string 2:readOnly:bool 7:recursiveReadOnly:string 3:mountPath:string 4:subPath:string
    5:mountPropagation:string 6:subPathExpr:string
VolumeDevice 1:name:string 2:devicePath:string
Probe 1:-:ProbeHandler 2:initialDelaySeconds:int 3:timeoutSeconds:int 4:periodSeconds:int 5:successThreshold:int
    6:failureThreshold:int 7:terminationGracePeriodSeconds:int
ProbeHandler 1:exec:ExecAction 2:httpGet:HTTPGetAction 3:tcpSocket:TCPSocketAction 4:grpc:GRPCAction
ExecAction 1:command:[]string
HTTPGetAction 1:path:string 2:port:intstr 3:host:string 4:scheme:string 5:httpHeaders:[]HTTPHeader
HTTPHeader 1:name:string 2:value:string
TCPSocketAction 1:port:intstr 2:host:string
GRPCAction 1:port:int 2:service:string
Lifecycle 1:postStart:LifecycleHandler 2:preStop:LifecycleHandler 3:stopSignal:string
LifecycleHandler 1:exec:ExecAction 2:httpGet:HTTPGetAction 3:tcpSocket:TCPSocketAction 4:sleep:SleepAction
SleepAction 1:seconds:int
SecurityContext 1:capabilities:Capabilities 2:privileged:bool 4:runAsUser:int 8:runAsGroup:int 5:runAsNonRoot:bool
    6:readOnlyRootFilesystem:bool 7:allowPrivilegeEscalation:bool 9:procMount:string 11:seccompProfile:SeccompProfile
Capabilities 1:add:[]string 2:drop:[]string
SeccompProfile 1:type:string 2:localhostProfile:string
PodSecurityContext 2:runAsUser:int 6:runAsGroup:int 3:runAsNonRoot:bool 4:supplementalGroups:[]int
    12:supplementalGroupsPolicy:string 5:fsGroup:int 7:sysctls:[]Sysctl 9:fsGroupChangePolicy:string
    10:seccompProfile:SeccompProfile 13:seLinuxChangePolicy:string
Sysctl 1:name:string 2:value:string
Toleration 1:key:string 2:operator:string 3:value:string 4:effect:string 5:tolerationSeconds:int
HostAlias 1:ip:string 2:hostnames:[]string
PodDNSConfig 1:nameservers:[]string 2:searches:[]string 3:options:[]PodDNSConfigOption
PodDNSConfigOption 1:name:string 2:value:string
PodReadinessGate 1:conditionType:string
PodOS 1:name:string
PodSchedulingGate 1:name:string
ResourceQuota 1:metadata:ObjectMeta 2:spec:ResourceQuotaSpec
ResourceQuotaSpec 1:hard:map:quantity 2:scopes:[]string 3:scopeSelector:ScopeSelector
ScopeSelector 1:matchExpressions:[]ScopedResourceSelectorRequirement
ScopedResourceSelectorRequirement 1:scopeName:string 2:operator:string 3:values:[]string
Deployment 1:metadata:ObjectMeta 2:spec:DeploymentSpec
DeploymentSpec 1:replicas:int 2:selector:LabelSelector 3:template:PodTemplateSpec 4:strategy:DeploymentStrategy
    5:minReadySeconds:int 6:revisionHistoryLimit:int 7:paused:bool 9:progressDeadlineSeconds:int
LabelSelector 1:matchLabels:map:string 2:matchExpressions:[]LabelSelectorRequirement
LabelSelectorRequirement 1:key:string 2:operator:string 3:values:[]string
PodTemplateSpec 1:metadata:ObjectMeta 2:spec:PodSpec
DeploymentStrategy 1:type:string 2:rollingUpdate:RollingUpdateDeployment
RollingUpdateDeployment 1:maxUnavailable:intstr 2:maxSurge:intstr
Job 1:metadata:ObjectMeta 2:spec:JobSpec
JobSpec 1:parallelism:int 2:completions:int 3:activeDeadlineSeconds:int 7:backoffLimit:int 12:backoffLimitPerIndex:int
    13:maxFailedIndexes:int 4:selector:LabelSelector 5:manualSelector:bool 6:template:PodTemplateSpec
    8:ttlSecondsAfterFinished:int 9:completionMode:string 10:suspend:bool 14:podReplacementPolicy:string
    15:managedBy:string
CronJob 1:metadata:ObjectMeta 2:spec:CronJobSpec
CronJobSpec 1:schedule:string 8:timeZone:string 2:startingDeadlineSeconds:int 3:concurrencyPolicy:string
    4:suspend:bool 5:jobTemplate:JobTemplateSpec 6:successfulJobsHistoryLimit:int 7:failedJobsHistoryLimit:int
JobTemplateSpec 1:metadata:ObjectMeta 2:spec:JobSpec
Role 1:metadata:ObjectMeta 2:rules:[]PolicyRule
PolicyRule 1:verbs:[]string 2:apiGroups:[]string 3:resources:[]string 4:resourceNames:[]string
    5:nonResourceURLs:[]string
RoleBinding 1:metadata:ObjectMeta 2:subjects:[]Subject 3:roleRef:RoleRef
Subject 1:kind:string 2:apiGroup:string 3:name:string 4:namespace:string
RoleRef 1:apiGroup:string 2:kind:string 3:name:string
ClusterRole 1:metadata:ObjectMeta 2:rules:[]PolicyRule 3:aggregationRule:AggregationRule
AggregationRule 1:clusterRoleSelectors:[]LabelSelector
ClusterRoleBinding 1:metadata:ObjectMeta 2:subjects:[]Subject 3:roleRef:RoleRef
Ingress 1:metadata:ObjectMeta 2:spec:IngressSpec
IngressSpec 4:ingressClassName:string 1:defaultBackend:IngressBackend 2:tls:[]IngressTLS 3:rules:[]IngressRule
IngressBackend 4:service:IngressServiceBackend 3:resource:TypedLocalObjectReference
IngressServiceBackend 1:name:string 2:port:ServiceBackendPort
ServiceBackendPort 1:name:string 2:number:int
TypedLocalObjectReference 1:apiGroup:string 2:kind:string 3:name:string
IngressTLS 1:hosts:[]string 2:secretName:string
IngressRule 1:host:string 2:-:IngressRuleValue
IngressRuleValue 1:http:HTTPIngressRuleValue
HTTPIngressRuleValue 1:paths:[]HTTPIngressPath
HTTPIngressPath 1:path:string 3:pathType:string 2:backend:IngressBackend
PodDisruptionBudget 1:metadata:ObjectMeta 2:spec:PodDisruptionBudgetSpec
PodDisruptionBudgetSpec 1:minAvailable:intstr 2:selector:LabelSelector 3:maxUnavailable:intstr
    4:unhealthyPodEvictionPolicy:string
Eviction 1:metadata:ObjectMeta 2:deleteOptions:DeleteOptions
DeleteOptions 1:gracePeriodSeconds:int 2:preconditions:Preconditions 3:orphanDependents:bool
    4:propagationPolicy:string 5:dryRun:[]string 6:ignoreStoreReadErrorWithClusterBreakingPotential:bool
Preconditions 1:uid:string 2:resourceVersion:string
PriorityClass 1:metadata:ObjectMeta 2:value:int 3:globalDefault:bool 4:description:string 5:preemptionPolicy:string
TokenRequest 1:metadata:ObjectMeta 2:spec:TokenRequestSpec 3:status:TokenRequestStatus
TokenRequestSpec 1:audiences:[]string 4:expirationSeconds:int 3:boundObjectRef:BoundObjectReference
BoundObjectReference 1:kind:string 2:apiVersion:string 3:name:string 4:uid:string
TokenRequestStatus 1:token:string 2:expirationTimestamp:time
SelfSubjectReview 1:metadata:ObjectMeta 2:status:SelfSubjectReviewStatus
SelfSubjectReviewStatus 1:userInfo:UserInfo
UserInfo 1:username:string 2:uid:string 3:groups:[]string 4:extra:map:ExtraValue
ExtraValue 1:items:[]string
SelfSubjectAccessReview 1:metadata:ObjectMeta 2:spec:SelfSubjectAccessReviewSpec 3:status:SubjectAccessReviewStatus
SelfSubjectAccessReviewSpec 1:resourceAttributes:ResourceAttributes 2:nonResourceAttributes:NonResourceAttributes
ResourceAttributes 1:namespace:string 2:verb:string 3:group:string 4:version:string 5:resource:string
    6:subresource:string 7:name:string 8:fieldSelector:FieldSelectorAttributes 9:labelSelector:LabelSelectorAttributes
FieldSelectorAttributes 1:rawSelector:string 2:requirements:[]FieldSelectorRequirement
FieldSelectorRequirement 1:key:string 2:operator:string 3:values:[]string
LabelSelectorAttributes 1:rawSelector:string 2:requirements:[]LabelSelectorRequirement
NonResourceAttributes 1:path:string 2:verb:string
SubjectAccessReviewStatus 1:allowed:bool 4:denied:bool 2:reason:string 3:evaluationError:string
SelfSubjectRulesReview 1:metadata:ObjectMeta 2:spec:SelfSubjectRulesReviewSpec 3:status:SubjectRulesReviewStatus
SelfSubjectRulesReviewSpec 1:namespace:string
SubjectRulesReviewStatus 1:resourceRules:[]ResourceRule 2:nonResourceRules:[]NonResourceRule 3:incomplete:bool
    4:evaluationError:string
ResourceRule 1:verbs:[]string 2:apiGroups:[]string 3:resources:[]string 4:resourceNames:[]string
NonResourceRule 1:verbs:[]string 2:nonResourceURLs:[]string
HorizontalPodAutoscaler 1:metadata:ObjectMeta 2:spec:HorizontalPodAutoscalerSpec
HorizontalPodAutoscalerSpec 1:scaleTargetRef:CrossVersionObjectReference 2:minReplicas:int 3:maxReplicas:int
    4:metrics:[]MetricSpec 5:behavior:HorizontalPodAutoscalerBehavior
CrossVersionObjectReference 1:kind:string 2:name:string 3:apiVersion:string
MetricSpec 1:type:string 2:object:ObjectMetricSource 3:pods:PodsMetricSource 4:resource:ResourceMetricSource
    7:containerResource:ContainerResourceMetricSource 5:external:ExternalMetricSource
ObjectMetricSource 1:describedObject:CrossVersionObjectReference 2:target:MetricTarget 3:metric:MetricIdentifier
MetricTarget 1:type:string 2:value:quantity 3:averageValue:quantity 4:averageUtilization:int
MetricIdentifier 1:name:string 2:selector:LabelSelector
PodsMetricSource 1:metric:MetricIdentifier 2:target:MetricTarget
ResourceMetricSource 1:name:string 2:target:MetricTarget
ContainerResourceMetricSource 1:name:string 2:target:MetricTarget 3:container:string
ExternalMetricSource 1:metric:MetricIdentifier 2:target:MetricTarget
HorizontalPodAutoscalerBehavior 1:scaleUp:HPAScalingRules 2:scaleDown:HPAScalingRules
HPAScalingRules 3:stabilizationWindowSeconds:int 1:selectPolicy:string 2:policies:[]HPAScalingPolicy
    4:tolerance:quantity
HPAScalingPolicy 1:type:string 2:value:int 3:periodSeconds:int
Scale 1:metadata:ObjectMeta 2:spec:ScaleSpec
ScaleSpec 1:replicas:int
ScaleStatus 1:replicas:int 2:selector:string
"""

#: (apiVersion, kind) to message.
KINDS: dict[tuple[str, str], str] = {
    ("v1", "Namespace"): "Namespace",
    ("v1", "ConfigMap"): "ConfigMap",
    ("v1", "Secret"): "Secret",
    ("v1", "ServiceAccount"): "ServiceAccount",
    ("v1", "Service"): "Service",
    ("v1", "Pod"): "Pod",
    ("v1", "ResourceQuota"): "ResourceQuota",
    ("apps/v1", "Deployment"): "Deployment",
    ("batch/v1", "Job"): "Job",
    ("batch/v1", "CronJob"): "CronJob",
    ("rbac.authorization.k8s.io/v1", "Role"): "Role",
    ("rbac.authorization.k8s.io/v1", "RoleBinding"): "RoleBinding",
    ("rbac.authorization.k8s.io/v1", "ClusterRole"): "ClusterRole",
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"): "ClusterRoleBinding",
    ("networking.k8s.io/v1", "Ingress"): "Ingress",
    ("policy/v1", "PodDisruptionBudget"): "PodDisruptionBudget",
    ("policy/v1", "Eviction"): "Eviction",
    ("scheduling.k8s.io/v1", "PriorityClass"): "PriorityClass",
    ("authentication.k8s.io/v1", "TokenRequest"): "TokenRequest",
    ("authentication.k8s.io/v1", "SelfSubjectReview"): "SelfSubjectReview",
    ("authorization.k8s.io/v1", "SelfSubjectAccessReview"): "SelfSubjectAccessReview",
    ("authorization.k8s.io/v1", "SelfSubjectRulesReview"): "SelfSubjectRulesReview",
    ("autoscaling/v2", "HorizontalPodAutoscaler"): "HorizontalPodAutoscaler",
    ("autoscaling/v1", "Scale"): "Scale",
    ("v1", "DeleteOptions"): "DeleteOptions",
}


def _read(table: str) -> dict[str, dict[int, tuple[str, str]]]:
    messages: dict[str, dict[int, tuple[str, str]]] = {}
    name = ""
    for line in table.strip().splitlines():
        words = line.split()
        if not line.startswith(" "):
            name = words.pop(0)
            messages[name] = {}
        for word in words:
            number, json_name, kind = word.split(":", 2)
            messages[name][int(number)] = (json_name, kind)
    return messages


MESSAGES = _read(_TABLE)
