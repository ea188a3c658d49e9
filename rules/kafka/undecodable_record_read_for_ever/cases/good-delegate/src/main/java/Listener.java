import org.springframework.kafka.annotation.KafkaListener;

class Listener {
    @KafkaListener(topics = "orders")
    void on(Order order) {
        System.out.println(order);
    }
}
