package shop;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Job {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(); // expect: checkpointing-not-enabled
        env.fromSource(Sources.orders(), Sources.watermarks(), "orders").keyBy(order -> order.id).process(new Count()).addSink(new Store());
        env.execute("orders");
    }
}
