package Jobs;

import Reading.OrderSchema;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Orders {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.enableCheckpointing(60000);
        KafkaSource<Order> source = KafkaSource.<Order>builder()
            .setBootstrapServers("kafka:9092")
            .setTopics("orders")
            .setGroupId("orders")
            .setValueOnlyDeserializer(new OrderSchema())
            .build();
        env.fromSource(source, WatermarkStrategy.noWatermarks(), "orders").print();
        env.execute("orders");
    }
}
