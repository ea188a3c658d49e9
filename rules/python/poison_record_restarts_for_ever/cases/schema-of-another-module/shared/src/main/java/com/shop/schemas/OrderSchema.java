package com.shop.schemas;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.apache.flink.api.common.serialization.DeserializationSchema;

public class OrderSchema implements DeserializationSchema<Order> {
    private final ObjectMapper mapper = new ObjectMapper();

    @Override
    public Order deserialize(byte[] bytes) throws IOException {
        return mapper.readValue(bytes, Order.class); // expect: poison-record-restarts-for-ever
    }
}
