package com.shop;

import org.apache.flink.api.common.time.Time; // expect: java-class-not-in-flink-version
import org.apache.flink.streaming.api.functions.sink.RichSinkFunction; // expect: java-class-not-in-flink-version

public class Push extends RichSinkFunction<String> {
    private transient Client client;

    @Override
    public void invoke(String value, Context context) {
        client.push(value, Time.seconds(5).toMilliseconds());
    }
}
