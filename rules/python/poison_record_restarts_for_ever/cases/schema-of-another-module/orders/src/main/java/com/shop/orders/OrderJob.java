package com.shop.orders;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import com.shop.schemas.OrderSchema;

public class OrderJob {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.enableCheckpointing(60_000);
        KafkaSource<Order> source = KafkaSource.<Order>builder()
            .setBootstrapServers("broker:9092")
            .setTopics("orders")
            .setGroupId("shop")
            .setValueOnlyDeserializer(new OrderSchema())
            .build();
        env.fromSource(source, WatermarkStrategy.noWatermarks(), "orders").print();
        env.execute("orders");
    }
}
