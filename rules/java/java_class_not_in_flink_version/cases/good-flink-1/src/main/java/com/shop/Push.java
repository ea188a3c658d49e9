package com.shop;

import org.apache.flink.api.common.time.Time;
import org.apache.flink.streaming.api.functions.sink.RichSinkFunction;

public class Push extends RichSinkFunction<String> {
    private transient Client client;

    @Override
    public void invoke(String value, Context context) {
        client.push(value, Time.seconds(5).toMilliseconds());
    }
}
