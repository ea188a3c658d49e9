package com.shop;

import java.time.Duration;
import org.apache.flink.streaming.api.functions.sink.legacy.RichSinkFunction;

public class Push extends RichSinkFunction<String> {
    private transient Client client;

    @Override
    public void invoke(String value, Context context) {
        client.push(value, Duration.ofSeconds(5).toMillis());
    }
}
