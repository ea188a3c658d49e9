kubectl create -f 'https://strimzi.io/install/latest?namespace=kafka' -n kafka
