FROM ubuntu:noble
RUN wget -q https://archive.apache.org/dist/spark/spark-3.5.6/spark-3.5.6-bin-hadoop3.tgz && tar xzf spark-*.tgz -C /opt
