import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.KafkaTemplate;

class Enrichment {
    private final KafkaTemplate<String, String> template;

    @KafkaListener(topics = "orders", groupId = "enrichment")
    void enrich(String order) {
        template.send("enriched", order);
    }
}
