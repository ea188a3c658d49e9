FROM eclipse-temurin:21
COPY kafka-streams-orders.jar /app/orders.jar
ENTRYPOINT ["java", "-jar", "/app/orders.jar"]
