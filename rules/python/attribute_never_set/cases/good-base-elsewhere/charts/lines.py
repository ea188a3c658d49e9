import apache_beam as beam

from charts import base


class Lines(base.Chart):
    def process(self, row):
        yield row, self.drawn.get("colour")


def chart(rows):
    return rows | beam.ParDo(Lines(colour="red"))
