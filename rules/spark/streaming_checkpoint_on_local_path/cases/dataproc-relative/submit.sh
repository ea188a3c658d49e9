#!/bin/sh
gcloud dataproc jobs submit pyspark jobs/orders.py --cluster=streams --region=europe-west1
