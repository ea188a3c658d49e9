helm repo add strimzi https://strimzi.io/charts/
helm upgrade --install operator strimzi/strimzi-kafka-operator --version 0.43.0 --namespace kafka
