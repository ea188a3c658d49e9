package shop;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public abstract class Job {
    private Steps steps;

    public void run() throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.enableCheckpointing(60_000);
        steps.build(env);
        env.execute("shop");
    }
}
