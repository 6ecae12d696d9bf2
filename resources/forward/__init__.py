"""Port-forward: a port of this machine's loopback that leads to a Pod, through the API server."""
