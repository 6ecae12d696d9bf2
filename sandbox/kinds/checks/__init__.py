"""What kube-apiserver finds wrong with built-in kinds, in its order and its words (kubernetes/pkg/apis/*/validation).

Each function is given a place (``spec.containers[0]``) and what stands there, and yields causes.
"""
