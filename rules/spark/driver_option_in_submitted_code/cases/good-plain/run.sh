python orders.py
