import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.dsl.Disruptor;
import org.apache.flink.streaming.api.functions.sink.RichSinkFunction;

/** The sink of the write-up, as it was written: in Java. */
public class IndexSink extends RichSinkFunction<String> {
    private transient Disruptor<Request> disruptor;
    private transient RingBuffer<Request> ring;

    @Override
    public void invoke(String document, Context context) {
        while (!accepted(document)) {
            try {
                Thread.sleep(200);
            } catch (InterruptedException error) {
                System.err.println("interrupted, goes on");
            }
        }
        long slot = ring.next();
        ring.get(slot).document = document;
        ring.publish(slot);
    }

    private boolean accepted(String document) {
        return ring.remainingCapacity() > 0 || document.isEmpty();
    }
}
