import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.support.Acknowledgment;

class Listener {
    @KafkaListener(topics = "orders", groupId = "bills")
    void on(String order, Acknowledgment ack) {
        Bills.write(order);
        ack.acknowledge();
    }
}
