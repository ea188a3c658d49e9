package shop;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Job {
    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            System.exit(1);
        }
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSource(Sources.orders(), Sources.watermarks(), "orders").print();
        env.execute("orders");
    }
}
