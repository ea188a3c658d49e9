package shop;

import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public interface Step {
    void build(StreamExecutionEnvironment env, DataStream<String> orders);
}
