"""The Kubernetes client layer: values for requests and answers, and two transports that send them.

A verb has one colour: request and response (get, list, create, patch, delete, review) are sync, for views and tasks;
what stays open (watch, followed logs, port-forward) is async only. No Django in here, and nothing of this product.
"""
