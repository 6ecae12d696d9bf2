"""The audit: user, verb, object and time of each change. Collected during a request (scene, changes), saved
(entries), limited (bounds), searched and exported (search).
"""
