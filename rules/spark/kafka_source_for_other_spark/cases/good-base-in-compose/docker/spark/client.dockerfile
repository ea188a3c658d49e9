FROM sparkbase
COPY conf/spark-defaults.conf /opt/spark/conf/spark-defaults.conf
CMD ["sleep", "infinity"]
