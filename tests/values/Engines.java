import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.math.BigInteger;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * Asks the real engines what they make of texts. Standard input: a line `engine<TAB>classpath` per engine, an empty line, then one
 * base64 text a line. Standard output: `engine<TAB>question<TAB>text number<TAB>ok or bad<TAB>value` for every combination.
 */
public class Engines {
    interface Question {
        Object ask(String text) throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintWriter out = new PrintWriter(new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8)));
        Map<String, ClassLoader> engines = new LinkedHashMap<>();
        for (String line = in.readLine(); !line.isEmpty(); line = in.readLine()) {
            String[] pair = line.split("\t");
            List<URL> urls = new ArrayList<>();
            for (String jar : pair[1].split(":")) {
                urls.add(Path.of(jar).toUri().toURL());
            }
            engines.put(pair[0], new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader()));
        }
        List<String> texts = new ArrayList<>();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            texts.add(new String(Base64.getDecoder().decode(line), StandardCharsets.UTF_8));
        }
        for (Map.Entry<String, ClassLoader> engine : engines.entrySet()) {
            Thread.currentThread().setContextClassLoader(engine.getValue());
            for (Map.Entry<String, Question> question : questions(engine.getKey(), engine.getValue()).entrySet()) {
                for (int number = 0; number < texts.size(); number++) {
                    out.println(engine.getKey() + "\t" + question.getKey() + "\t" + number + "\t" + answer(question.getValue(), texts.get(number)));
                }
            }
        }
        out.flush();
    }

    static String answer(Question question, String text) throws Exception {
        try {
            return "ok\t" + print(question.ask(text));
        } catch (InvocationTargetException wrapped) {
            Throwable cause = wrapped.getCause();
            if (cause instanceof LinkageError) {
                throw wrapped;
            }
            return "bad\t" + cause.getClass().getSimpleName();
        }
    }

    static String print(Object value) {
        if (value instanceof Duration) {
            Duration duration = (Duration) value;
            return BigInteger.valueOf(duration.getSeconds()).multiply(BigInteger.valueOf(1_000_000_000L)).add(BigInteger.valueOf(duration.getNano())).toString();
        }
        if (value instanceof Double) {
            return Long.toHexString(Double.doubleToLongBits((Double) value));
        }
        if (value instanceof Float) {
            return Long.toHexString(Double.doubleToLongBits((double) (Float) value));
        }
        if (value instanceof List) {
            List<String> parts = new ArrayList<>();
            for (Object element : (List<?>) value) {
                parts.add(print(element));
            }
            return "[" + String.join(",", parts) + "]";
        }
        if (value instanceof Map) {
            TreeSet<String> parts = new TreeSet<>();
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                parts.add(print(entry.getKey()) + ":" + print(entry.getValue()));
            }
            return "{" + String.join(",", parts) + "}";
        }
        return value instanceof String || value instanceof Enum ? encode(value.toString()) : String.valueOf(value);
    }

    static String encode(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    static Map<String, Question> questions(String engine, ClassLoader loader) throws Exception {
        if (engine.startsWith("flink")) {
            return flink(loader);
        }
        if (engine.startsWith("spark")) {
            return spark(loader);
        }
        return engine.startsWith("kafka") ? kafka(loader) : jackson(loader);
    }

    static Map<String, Question> flink(ClassLoader loader) throws Exception {
        Map<String, Question> questions = new LinkedHashMap<>();
        Method parseDuration = method(loader, "org.apache.flink.util.TimeUtils", "parseDuration", 1);
        questions.put("duration", text -> parseDuration.invoke(null, text));
        Method parseBytes = method(loader, "org.apache.flink.configuration.MemorySize", "parseBytes", 1);
        questions.put("memory", text -> parseBytes.invoke(null, text));
        Object options = method(loader, "org.apache.flink.configuration.ConfigOptions", "key", 1).invoke(null, "key");
        for (String type : List.of("boolean", "int", "long", "float", "double", "map")) {
            questions.put(type, option(loader, build(call(options, type + "Type"))));
        }
        questions.put("list<string>", option(loader, build(call(call(options, "stringType"), "asList"))));
        questions.put("list<int>", option(loader, build(call(call(options, "intType"), "asList"))));
        Class<?> unit = loader.loadClass("org.apache.flink.configuration.MemorySize$MemoryUnit");
        questions.put("enum", option(loader, build(call(options, "enumType", unit))));
        try {
            Method load = method(loader, "org.apache.flink.configuration.YamlParserUtils", "convertToObject", 2);
            questions.put("plain scalar", text -> {
                Object value = ((List<?>) load.invoke(null, "- " + text, List.class)).get(0);
                return value == null ? null : value.toString();
            });
        } catch (ClassNotFoundException older) {
            // No YAML before 1.19.
        }
        return questions;
    }

    static Object build(Object builder) throws Exception {
        return call(builder, "noDefaultValue");
    }

    static Question option(ClassLoader loader, Object option) throws Exception {
        Constructor<?> create = loader.loadClass("org.apache.flink.configuration.Configuration").getConstructor();
        Method set = method(loader, "org.apache.flink.configuration.Configuration", "setString", 2);
        Method get = method(loader, "org.apache.flink.configuration.Configuration", "get", 1);
        return text -> {
            Object configuration = create.newInstance();
            set.invoke(configuration, "key", text);
            return get.invoke(configuration, option);
        };
    }

    static Map<String, Question> spark(ClassLoader loader) throws Exception {
        Map<String, Question> questions = new LinkedHashMap<>();
        Method time = method(loader, "org.apache.spark.network.util.JavaUtils", "timeStringAs", 2);
        for (TimeUnit unit : List.of(TimeUnit.MILLISECONDS, TimeUnit.SECONDS)) {
            questions.put("time " + unit, text -> time.invoke(null, text, unit));
        }
        Object helpers = loader.loadClass("org.apache.spark.internal.config.ConfigHelpers$").getField("MODULE$").get(null);
        Method bytes = method(loader, "org.apache.spark.internal.config.ConfigHelpers$", "byteFromString", 2);
        for (Object unit : loader.loadClass("org.apache.spark.network.util.ByteUnit").getEnumConstants()) {
            questions.put("bytes " + unit, text -> bytes.invoke(helpers, text, unit));
        }
        Method bool = method(loader, "org.apache.spark.internal.config.ConfigHelpers$", "toBoolean", 2);
        questions.put("boolean", text -> bool.invoke(helpers, text, "key"));
        for (String type : List.of("int", "long", "double")) {
            Object entry = call(loader.loadClass("org.apache.spark.internal.config.ConfigBuilder").getConstructor(String.class).newInstance("key"), type + "Conf");
            Object converter = call(entry, "converter");
            Method apply = loader.loadClass("scala.Function1").getMethod("apply", Object.class);
            questions.put(type, text -> apply.invoke(converter, text));
        }
        Method utf8 = method(loader, "org.apache.spark.unsafe.types.UTF8String", "fromString", 1);
        Object intervals = loader.loadClass("org.apache.spark.sql.catalyst.util.SparkIntervalUtils$").getField("MODULE$").get(null);
        Method interval = method(loader, "org.apache.spark.sql.catalyst.util.SparkIntervalUtils$", "stringToInterval", 1);
        questions.put("interval", text -> {
            Object parsed = interval.invoke(intervals, utf8.invoke(null, text));
            Class<?> type = parsed.getClass();
            return List.of(type.getField("months").get(parsed), type.getField("days").get(parsed), type.getField("microseconds").get(parsed));
        });
        Object triggers = loader.loadClass("org.apache.spark.sql.execution.streaming.ProcessingTimeTrigger$").getField("MODULE$").get(null);
        Method trigger = method(loader, "org.apache.spark.sql.execution.streaming.ProcessingTimeTrigger$", "create", 1);
        questions.put("trigger", text -> call(trigger.invoke(triggers, text), "intervalMs"));
        return questions;
    }

    static Map<String, Question> kafka(ClassLoader loader) throws Exception {
        Map<String, Question> questions = new LinkedHashMap<>();
        Method parse = method(loader, "org.apache.kafka.common.config.ConfigDef", "parseType", 3);
        for (Object type : loader.loadClass("org.apache.kafka.common.config.ConfigDef$Type").getEnumConstants()) {
            if (!type.toString().equals("CLASS") && !type.toString().equals("PASSWORD")) {
                questions.put(type.toString(), text -> parse.invoke(null, "key", text, type));
            }
        }
        return questions;
    }

    /** Beam's Java SDK hands the text of an option to Jackson. */
    static Map<String, Question> jackson(ClassLoader loader) throws Exception {
        Object mapper = loader.loadClass("com.fasterxml.jackson.databind.ObjectMapper").getConstructor().newInstance();
        Constructor<?> node = loader.loadClass("com.fasterxml.jackson.databind.node.TextNode").getConstructor(String.class);
        Method treeToValue = mapper.getClass().getMethod("treeToValue", loader.loadClass("com.fasterxml.jackson.core.TreeNode"), Class.class);
        Map<String, Question> questions = new LinkedHashMap<>();
        questions.put("int", text -> treeToValue.invoke(mapper, node.newInstance(text), Integer.class));
        questions.put("long", text -> treeToValue.invoke(mapper, node.newInstance(text), Long.class));
        questions.put("double", text -> treeToValue.invoke(mapper, node.newInstance(text), Double.class));
        questions.put("boolean", text -> treeToValue.invoke(mapper, node.newInstance(text), Boolean.class));
        return questions;
    }

    static Method method(ClassLoader loader, String type, String name, int parameters) throws Exception {
        Class<?> owner = loader.loadClass(type);
        for (Method method : owner.getMethods()) {
            if (method.getName().equals(name) && method.getParameterCount() == parameters && !method.isBridge()
                    && (parameters != 1 || method.getParameterTypes()[0] == String.class || !name.equals("create"))
                    && (!name.equals("get") || method.getParameterTypes()[0].getSimpleName().equals("ConfigOption"))
                    && (!name.equals("setString") || method.getParameterTypes()[0] == String.class)) {
                method.setAccessible(true);
                return method;
            }
        }
        throw new NoSuchMethodException(type + "." + name);
    }

    static Object call(Object receiver, String name, Object... arguments) throws Exception {
        for (Method method : receiver.getClass().getMethods()) {
            if (method.getName().equals(name) && method.getParameterCount() == arguments.length) {
                method.setAccessible(true);
                return method.invoke(receiver, arguments);
            }
        }
        throw new NoSuchMethodException(receiver.getClass() + "." + name);
    }
}
