package auth

import "net/http"

// RequireAuthStale asks for digest authentication, which no Ingress here does.
func (da *DigestAuth) RequireAuthStale(w http.ResponseWriter, r *http.Request) {
	da.RequireAuth(w, r)
}
