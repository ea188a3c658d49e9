# Kafka consumer
FROM python:3.12
WORKDIR /app
COPY billing/requirements.txt ./
RUN pip install -r requirements.txt
COPY . .
CMD ["python", "consumer.py"]
