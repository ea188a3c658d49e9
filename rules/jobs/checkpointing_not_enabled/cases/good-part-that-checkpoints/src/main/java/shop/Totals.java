package shop;

import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Totals {
    public void build(StreamExecutionEnvironment env, DataStream<String> orders) {
        env.enableCheckpointing(60_000);
        orders.rebalance().addSink(new StoreSink());
    }
}
