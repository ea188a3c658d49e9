python -m bytewax.run -w 2 dataflow # expect: dataflow-without-recovery
python -m bytewax.run other:flow
python -m bytewax.run dataflow -r /var/lib/orders
