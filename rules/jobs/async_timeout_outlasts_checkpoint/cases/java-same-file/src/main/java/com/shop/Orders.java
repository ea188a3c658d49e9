package com.shop;

import java.util.concurrent.TimeUnit;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Orders {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.enableCheckpointing(30_000);
        env.getCheckpointConfig().setCheckpointTimeout(60 * 1000);
        env.getCheckpointConfig().setCheckpointStorage("s3://lake/checkpoints");
        DataStream<String> orders = Sources.orders(env);
        AsyncDataStream.unorderedWait(orders, new Lookup(), 60, TimeUnit.SECONDS, 1000).sinkTo(Sinks.orders()); // expect: async-timeout-outlasts-checkpoint
        env.execute();
    }
}
