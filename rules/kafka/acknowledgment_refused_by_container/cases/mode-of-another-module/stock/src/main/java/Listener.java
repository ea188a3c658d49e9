import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.support.Acknowledgment;

class Listener {
    @KafkaListener(topics = "orders", groupId = "stock")
    void on(String order, Acknowledgment ack) { // expect: acknowledgment-refused-by-container
        Bills.write(order);
        ack.acknowledge();
    }
}
