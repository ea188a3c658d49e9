import requests


def connect():
    requests.get("http://model/health")
    return "model"


def score(model, order):
    return _ask(model, {"order": order.decode()})


def _ask(model, body):
    return requests.post(f"http://{model}/score", json=body).json()  # expect: network-call-without-timeout


def report(scores):
    requests.post("http://reports", json=scores)
