import apache_beam as beam


class Chart(beam.DoFn):
    def __init__(self, **drawn):
        self.drawn = drawn
