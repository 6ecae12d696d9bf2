"""CPU and memory by metrics.k8s.io: what is used now, by the reader's own permission, and an hour of it (docs/decisions/0031-metrics.md)."""
