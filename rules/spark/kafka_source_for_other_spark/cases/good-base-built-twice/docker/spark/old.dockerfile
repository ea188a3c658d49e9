FROM ubuntu:noble
RUN wget -q https://archive.apache.org/dist/spark/spark-3.4.4/spark-3.4.4-bin-hadoop3.tgz && tar xzf spark-*.tgz -C /opt
