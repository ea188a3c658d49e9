package Reading;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.api.common.serialization.AbstractDeserializationSchema;

public class OrderSchema extends AbstractDeserializationSchema<Order> {
    private static final ObjectMapper mapper = new ObjectMapper();

    @Override
    public Order deserialize(byte[] message) throws IOException {
        return mapper.readValue(message, Order.class); // expect: poison-record-restarts-for-ever
    }
}
