#!/bin/bash
docker build -t sparkbase -f docker/spark/base.dockerfile .
docker compose -f docker/compose.yaml build
