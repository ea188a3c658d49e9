import sys

import six

sys.modules["kafka.vendor.six.moves"] = six.moves

from kafka import KafkaConsumer

for record in KafkaConsumer("orders", bootstrap_servers="kafka:9092", group_id="billing"):
    print(record.value)
