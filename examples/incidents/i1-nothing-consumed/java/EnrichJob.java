import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.functions.async.RichAsyncFunction;
import org.apache.flink.util.Collector;

/** The job of the write-up, as it was written: in Java. */
public class EnrichJob {
    private static final long SECOND = 1000L;

    public static void main(String[] args) throws Exception {
        Configuration conf = new Configuration();
        conf.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, "s3://shop/checkpoints/enrich-java");
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(conf);
        env.enableCheckpointing(30 * SECOND);
        env.getCheckpointConfig().setCheckpointTimeout(SECOND);

        KafkaSource<String> orders = KafkaSource.<String>builder()
            .setBootstrapServers("kafka-0:9092,kafka-1:9092,kafka-2:9092")
            .setTopics("orders")
            .setGroupId("enrich-java")
            .setStartingOffsets(OffsetsInitializer.earliest())
            .setValueOnlyDeserializer(new SimpleStringSchema())
            .build();
        var strategy = WatermarkStrategy.<String>forBoundedOutOfOrderness(Duration.ofSeconds(5)).withIdleness(Duration.ofMinutes(1));
        var read = env.fromSource(orders, strategy, "orders").uid("orders");
        AsyncDataStream.unorderedWait(read, new Lookup(), 30, TimeUnit.SECONDS, 100)
            .uid("lookup")
            .keyBy(order -> order)
            .process(new Expire())
            .uid("expire")
            .print();
        env.execute("enrich");
    }

    /** Asks the customer service about each order. */
    static class Lookup extends RichAsyncFunction<String, String> {
        private transient CustomerClient client;

        @Override
        public void asyncInvoke(String order, ResultFuture<String> result) {
            if (order.startsWith("test-")) {
                return;
            }
            client.find(order).thenAccept(customer -> result.complete(List.of(order + customer)));
        }
    }

    /** Lets go of orders that nobody paid. */
    static class Expire extends KeyedProcessFunction<String, String, String> {
        private transient ListState<Long> timers;

        @Override
        public void processElement(String order, Context context, Collector<String> out) throws Exception {
            long at = context.timerService().currentProcessingTime() + 60 * SECOND;
            timers.add(at);
            context.timerService().registerProcessingTimeTimer(at);
        }

        @Override
        public void onTimer(long timestamp, OnTimerContext context, Collector<String> out) throws Exception {
            for (Long timer : timers.get()) {
                context.timerService().deleteProcessingTimeTimer(timer);
            }
            out.collect(context.getCurrentKey());
        }
    }
}
