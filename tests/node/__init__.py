"""The console on a real node, from its own images (docs/real-node.md); `make test-node` runs these, no other target."""
