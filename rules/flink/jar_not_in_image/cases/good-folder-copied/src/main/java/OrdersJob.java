import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class OrdersJob {
    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.fromSequence(1, 10).print();
        env.execute("orders");
    }
}
