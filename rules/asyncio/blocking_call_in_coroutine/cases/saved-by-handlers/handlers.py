from snapshots import Snapshots


class Handler:
    def __init__(self, snapshots: Snapshots):
        self.snapshots = snapshots

    async def handle(self, order):
        self.snapshots.keep(order)
