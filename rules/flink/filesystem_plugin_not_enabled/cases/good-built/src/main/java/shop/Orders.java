package shop;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Orders {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.enableCheckpointing(60000);
        env.getCheckpointConfig().setCheckpointStorage("s3://lake/checkpoints/orders");
        env.fromElements(1, 2, 3).print();
        env.execute("orders");
    }
}
