import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessUtils;
import org.apache.flink.runtime.jobmanager.JobManagerProcessUtils;

/**
 * Asks Flink how it shares out a process's memory. Standard input: `jobmanager` or `taskmanager`, then `key=value`, with tabs between.
 * Standard output: for each line the empty one where it can, else what it says.
 */
public class Processes {
    public static void main(String[] arguments) throws Exception {
        Method jobManager = null;
        for (Method method : JobManagerProcessUtils.class.getMethods()) {
            if (method.getName().startsWith("processSpecFromConfig") && (jobManager == null || method.getName().length() > jobManager.getName().length())) {
                jobManager = method;
            }
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] parts = line.split("\t");
            Configuration options = new Configuration();
            options.setString("taskmanager.numberOfTaskSlots", "1");
            options.setString("taskmanager.cpu.cores", "1");
            for (int index = 1; index < parts.length; index++) {
                String[] pair = parts[index].split("=");
                options.setString(pair[0], pair[1]);
            }
            System.out.println(answer(parts[0], options, jobManager));
        }
    }

    static String answer(String process, Configuration options, Method jobManager) throws Exception {
        try {
            if (process.equals("taskmanager")) {
                TaskExecutorProcessUtils.processSpecFromConfig(options);
            } else if (jobManager.getParameterCount() == 2) {
                jobManager.invoke(null, options, JobManagerOptions.TOTAL_PROCESS_MEMORY);
            } else {
                jobManager.invoke(null, options);
            }
            return "";
        } catch (InvocationTargetException failure) {
            return failure.getCause().getMessage().replace('\n', ' ');
        } catch (RuntimeException failure) {
            return failure.getMessage().replace('\n', ' ');
        }
    }
}
