import org.apache.kafka.clients.admin.NewTopic;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.config.TopicBuilder;

class Topics {
    @Bean
    NewTopic orders() {
        return TopicBuilder.name("orders").partitions(6).replicas(1).build();
    }

    @Bean
    NewTopic returns() {
        return new NewTopic("returns", 6, (short) 1); // expect: one-replica-on-several-brokers
    }
}
