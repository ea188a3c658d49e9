#!/bin/sh
helm repo add operator https://downloads.apache.org/flink/flink-kubernetes-operator-1.9.0/
helm install operator operator/flink-kubernetes-operator
