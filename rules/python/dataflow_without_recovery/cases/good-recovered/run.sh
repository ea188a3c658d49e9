export BYTEWAX_RECOVERY_DIRECTORY=/var/lib/orders
python -m bytewax.run dataflow
