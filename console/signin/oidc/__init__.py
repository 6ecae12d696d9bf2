"""Sign-in with OpenID Connect: the provider authenticates the user, and its ID token is the session's bearer token
(docs/decisions/0022-openid-connect.md).
"""
