import requests


def fetch(road):
    return requests.get(f"https://roads.example.org/{road}").json()  # expect: network-call-without-timeout


def fetch_names():
    return requests.get("https://roads.example.org/names").json()
