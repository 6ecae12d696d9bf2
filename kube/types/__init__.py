"""Types of the API, read by kube/reader.py: the fields that the console reads, in the API's words.

https://kubernetes.io/docs/reference/kubernetes-api/
"""
