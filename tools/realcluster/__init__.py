"""A real Kubernetes control plane on this machine, without containers: built from the Go module proxy, started for
tests and for trying out.

`python -m tools.realcluster` (`make real-cluster`) runs one in the foreground. docs/real-cluster.md says what it
consists of.
"""
