plugins {
    id("com.gradleup.shadow") version "9.0.0"
}
dependencies {
    implementation("org.apache.flink:flink-streaming-java:1.20.1") # expect: flink-in-job-jar
    implementation("org.apache.flink:flink-clients:1.20.1")
    implementation("org.apache.flink:flink-connector-kafka:3.4.0-1.20")
}
