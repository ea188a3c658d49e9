package shop;

import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Totals {
    public void build(StreamExecutionEnvironment env, DataStream<String> orders) {
        Defaults.apply(env);
        orders.rebalance().addSink(new StoreSink());
    }
}
