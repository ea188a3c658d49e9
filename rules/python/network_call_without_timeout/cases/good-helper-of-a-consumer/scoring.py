import requests


def connect():
    requests.get("http://model/health")
    return "model"


def score(model, order):
    return _ask(model, {"order": order.decode()})


def _ask(model, body):
    return requests.post(f"http://{model}/score", json=body, timeout=5).json()


def report(scores):
    requests.post("http://reports", json=scores)
