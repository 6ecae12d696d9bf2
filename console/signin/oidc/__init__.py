"""Sign-in by OpenID Connect: a provider says who somebody is, and its ID token is the bearer token of their session
(docs/decisions/0022-openid-connect.md).
"""
