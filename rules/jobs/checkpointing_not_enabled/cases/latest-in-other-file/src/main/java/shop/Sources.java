package shop;

import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;

public class Sources {
    static KafkaSource<Order> orders() {
        return KafkaSource.<Order>builder()
                .setTopics("orders")
                .setGroupId("shop")
                .setStartingOffsets(OffsetsInitializer.latest())
                .build();
    }
}
