#!/bin/sh
helm repo add operator https://archive.apache.org/dist/flink/flink-kubernetes-operator-1.3.1/
helm install operator operator/flink-kubernetes-operator
