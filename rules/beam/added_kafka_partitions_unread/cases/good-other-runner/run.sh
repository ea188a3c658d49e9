#!/bin/sh
python pipeline.py --runner=DataflowRunner --project=payments --region=europe-west1 --streaming
