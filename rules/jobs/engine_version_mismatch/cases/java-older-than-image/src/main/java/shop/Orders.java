package shop;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Orders {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromElements(1, 2).print();
        env.execute("orders");
    }
}
