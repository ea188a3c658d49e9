from store import Store


class Gold(Store):
    def totals(self, rows):
        return rows.groupBy("shop").sum("amount")
