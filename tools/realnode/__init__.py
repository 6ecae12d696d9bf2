"""A whole Kubernetes of one node on this machine, with containers, in a network namespace of its own: the control plane
of tools/realcluster, a kubelet, containerd, kube-proxy, DNS and volumes.

`python -m tools.realnode` (`make real-node`) runs one in the foreground. docs/real-node.md says what it consists of.
"""
