package shop;

import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

public class Environments {
    public static ParameterTool parameters(String[] args) {
        return ParameterTool.fromArgs(args);
    }

    public static StreamExecutionEnvironment create() {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.enableCheckpointing(10000);
        return env;
    }
}
