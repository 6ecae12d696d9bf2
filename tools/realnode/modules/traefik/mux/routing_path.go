package mux

type routingPathKey struct{}

// RoutingPathKey is the key of the path that Traefik's muxer matches, in the context of a request.
var RoutingPathKey = routingPathKey{}

// UseRoutingPath is for rules in the syntax of Traefik 2, which no Ingress has.
func (r *Router) UseRoutingPath() *Router {
	return r
}
