package shop;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Steps {
    public void build(StreamExecutionEnvironment env) {
        env.getCheckpointConfig().setCheckpointStorage("s3://lake/checkpoints");
        env.fromSequence(1, 10).print();
    }
}
