import org.springframework.boot.autoconfigure.kafka.DefaultKafkaConsumerFactoryCustomizer;
import org.springframework.kafka.support.serializer.ErrorHandlingDeserializer;
import org.springframework.kafka.support.serializer.JsonDeserializer;

class Consumers {
    DefaultKafkaConsumerFactoryCustomizer guarded() {
        return factory -> factory.setValueDeserializer(new ErrorHandlingDeserializer(new JsonDeserializer<>()));
    }
}
