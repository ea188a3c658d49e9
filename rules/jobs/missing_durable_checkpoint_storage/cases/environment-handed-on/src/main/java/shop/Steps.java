package shop;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Steps {
    public void build(StreamExecutionEnvironment env) {
        env.setParallelism(4);
        env.fromSequence(1, 10).print();
    }
}
