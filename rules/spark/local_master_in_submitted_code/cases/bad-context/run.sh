spark-submit --master k8s://https://$(minikube ip):8443 --deploy-mode cluster hdfs://namenode:9000/app/counts.py
