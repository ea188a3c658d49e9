package shop;

import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Totals {
    public void build(StreamExecutionEnvironment env, DataStream<String> orders) {
        env.setParallelism(4);
        orders.rebalance().addSink(new StoreSink());
    }
}
