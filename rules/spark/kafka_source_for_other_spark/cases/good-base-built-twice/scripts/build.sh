#!/bin/bash
if [ "$1" = old ]; then
  docker build -t sparkbase -f docker/spark/old.dockerfile .
else
  docker build -t sparkbase -f docker/spark/base.dockerfile .
fi
docker compose -f docker/compose.yaml build
