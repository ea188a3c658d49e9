import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Clicks {
    public static void main(String[] args) throws Exception {
        final StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment();
        env.enableCheckpointing(3000);
        env.getCheckpointConfig().setCheckpointStorage("file:///data/checkpoints");
        env.fromSequence(1, 1000).print();
        env.execute();
    }
}
