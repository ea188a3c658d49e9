package com.shop;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.configuration.Configuration;

public class ParseEvent extends RichMapFunction<String, Event> {
    private transient ObjectMapper mapper;

    @Override
    public void open(Configuration parameters) {
        mapper = new ObjectMapper();
    }

    @Override
    public Event map(String value) throws Exception {
        return mapper.readValue(value, Event.class);
    }
}
