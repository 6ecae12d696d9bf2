"""The Kubernetes client layer: values for requests and answers, and two transports that send them.

Each verb is either sync or async: request and response (get, list, create, patch, delete, review) are sync, for views
and tasks; what stays open (watch, followed logs, port-forward) is async only. It imports neither Django nor other
packages of this product.
"""
