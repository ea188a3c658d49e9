import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/**
 * Prints Spark's configuration entries and data source options, one TSV row each.
 *
 * <p>Usage: {@code java SparkOptions.java jar...}. Entries come from the registry that every {@code ConfigEntry} joins when the object
 * that declares it is initialised. What an entry accepts is found by asking its own converter.
 *
 * <p>Rows: "entry", key, type, default, values ("|"), aliases ("|"), flags ("h" internal, "s" static SQL); "literal", key (a key-like string constant in
 * Spark's own classes); "deprecated", key, version; "alias", key, older key; "removed", key; "source", format, option.
 */
public final class SparkOptions {
    private static final String ENTRY = "org.apache.spark.internal.config.ConfigEntry";
    private static final Pattern KEY = Pattern.compile("spark(\\.[A-Za-z][A-Za-z0-9_-]*)+\\.?");
    private static final Pattern OPTION = Pattern.compile("[a-z]+([A-Z][a-z]+)+");
    /** Classes that spell their options as plain constants, and the format they serve. */
    private static final Map<String, String> SPELT = Map.of(
        "FileStreamOptions", "file", "RateStreamProvider$", "rate", "RatePerMicroBatchProvider$", "rate-micro-batch",
        "ConsoleTableProvider", "console", "ConsoleWrite", "console");
    private static final Pattern CHOICES = Pattern.compile("one of (?:the following: )?'?(.+?)'?(?:, but was| but was|\\.? *$|\\. )", Pattern.DOTALL);
    private static ClassLoader loader;
    private static PrintStream out;

    public static void main(String[] jars) throws Exception {
        out = new PrintStream(System.out, false, "UTF-8");
        System.setOut(System.err);
        URL[] urls = new URL[jars.length];
        for (int i = 0; i < jars.length; i++) {
            urls[i] = Path.of(jars[i]).toUri().toURL();
        }
        loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
        Thread.currentThread().setContextClassLoader(loader);
        Set<String> literals = new TreeSet<>();
        for (String jar : jars) {
            String name = Path.of(jar).getFileName().toString();
            if (name.startsWith("spark-") || name.startsWith("delta-")) {
                scan(Path.of(jar), literals);
            }
        }
        Object registry = get(module(ENTRY + "$"), "knownConfigs");
        if (registry == null) {
            for (Field field : Class.forName(ENTRY + "$", true, loader).getDeclaredFields()) {
                if (Map.class.isAssignableFrom(field.getType())) {
                    field.setAccessible(true);
                    registry = field.get(module(ENTRY + "$"));
                }
            }
        }
        Map<String, Object> entries = new TreeMap<>();
        for (Map.Entry<?, ?> known : ((Map<?, ?>) registry).entrySet()) {
            entries.put((String) known.getKey(), known.getValue());
        }
        for (Map.Entry<String, Object> known : entries.entrySet()) {
            printEntry(known.getKey(), known.getValue());
        }
        for (String literal : literals) {
            if (!entries.containsKey(literal)) {
                row("literal", literal);
            }
        }
        printHistory();
        printRocksDb();
        printKafka();
        printDelta();
        for (String source : new String[] {
            "catalyst.csv.CSVOptions", "catalyst.json.JSONOptions", "catalyst.xml.XmlOptions", "execution.datasources.parquet.ParquetOptions",
            "execution.datasources.orc.OrcOptions", "execution.datasources.text.TextOptions", "avro.AvroOptions",
            "execution.datasources.v2.state.StateSourceOptions", "catalyst.FileSourceOptions",
        }) {
            printSource(source);
        }
        out.flush();
        System.exit(0);
    }

    /** Initialises the objects of a jar that declare entries, and collects key-like constants of all classes. */
    private static void scan(Path jar, Set<String> literals) throws Exception {
        try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(jar))) {
            for (ZipEntry item = zip.getNextEntry(); item != null; item = zip.getNextEntry()) {
                String name = item.getName();
                if (!name.endsWith(".class") || !name.startsWith("org/apache/spark/")) {
                    continue;
                }
                Set<String> all = new TreeSet<>();
                boolean declares = constants(zip.readAllBytes(), all);
                String simple = name.substring(name.lastIndexOf('/') + 1, name.length() - 6);
                for (String text : all) {
                    if (KEY.matcher(text).matches()) {
                        literals.add(text);
                    }
                    if (SPELT.containsKey(simple) && OPTION.matcher(text).matches()) {
                        row("source", SPELT.get(simple), text);
                    }
                }
                if (declares && name.endsWith("$.class")) {
                    initialise(name.substring(0, name.length() - 6).replace('/', '.'));
                }
            }
        }
    }

    private static void initialise(String name) {
        try {
            Class<?> owner = Class.forName(name, false, loader);
            owner.getField("MODULE$");
            for (Method method : owner.getDeclaredMethods()) {
                if (method.getParameterCount() == 0 && isEntry(method.getReturnType())) {
                    Class.forName(name, true, loader);
                    return;
                }
            }
        } catch (NoSuchFieldException inner) {
            // an object inside a class declares nothing of its own
        } catch (Throwable error) {
            System.err.println("skipped " + name + ": " + error);
        }
    }

    private static boolean isEntry(Class<?> type) {
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            if (at.getName().equals(ENTRY)) {
                return true;
            }
        }
        return false;
    }

    /** Adds the string constants; true when the class names the entry type. */
    private static boolean constants(byte[] bytes, Set<String> found) throws Exception {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        in.skipBytes(8);
        int count = in.readUnsignedShort();
        String[] texts = new String[count];
        List<Integer> strings = new ArrayList<>();
        boolean declares = false;
        for (int i = 1; i < count; i++) {
            int tag = in.readUnsignedByte();
            switch (tag) {
                case 1:
                    texts[i] = in.readUTF();
                    declares |= texts[i].contains("org/apache/spark/internal/config/") && texts[i].contains("ConfigEntry");
                    break;
                case 8: strings.add(in.readUnsignedShort()); break;
                case 7: case 16: case 19: case 20: in.skipBytes(2); break;
                case 15: in.skipBytes(3); break;
                case 5: case 6: in.skipBytes(8); i++; break;
                default: in.skipBytes(4);
            }
        }
        for (int index : strings) {
            if (texts[index] != null) {
                found.add(texts[index]);
            }
        }
        return declares;
    }

    private static void printEntry(String key, Object entry) {
        try {
            String shown = (String) get(entry, "defaultValueString");
            List<String> aliases = new ArrayList<>();
            Object list = get(entry, "alternatives");
            for (int i = 0; i < (Integer) list.getClass().getMethod("size").invoke(list); i++) {
                aliases.add((String) list.getClass().getMethod("apply", int.class).invoke(list, i));
            }
            String[] accepted = accepted(entry);
            boolean open = (Boolean) get(entry, "isPublic");
            String scope = isStatic(key) ? "s" : "";
            row("entry", key, accepted[0], shown.equals("<undefined>") ? "" : "=" + shown, accepted[1], String.join("|", aliases), (open ? "" : "h") + scope);
        } catch (Throwable error) {
            System.err.println("skipped " + key + ": " + error);
        }
    }

    private static boolean isStatic(String key) throws Exception {
        Object sql = module("org.apache.spark.sql.internal.SQLConf$");
        for (Method method : sql.getClass().getMethods()) {
            if (method.getName().equals("isStaticConfigKey") && method.getParameterCount() == 1) {
                return (Boolean) method.invoke(sql, key);
            }
        }
        Object keys = get(sql, "staticConfKeys");
        return keys instanceof Set && ((Set<?>) keys).contains(key);
    }

    /** The state store's own options, which join no registry. */
    private static void printRocksDb() {
        try {
            Object options = module("org.apache.spark.sql.execution.streaming.state.RocksDBConf$");
            for (Field field : options.getClass().getDeclaredFields()) {
                field.setAccessible(true);
                Object value = field.get(options);
                Object name = value == null || get(value, "fullName") == null ? null : get(value, "name");
                if (name != null) {
                    row("entry", "spark.sql.streaming.stateStore.rocksdb." + name, "", get(value, "default") == null ? "" : "=" + get(value, "default"), "", "", "h");
                }
            }
        } catch (Throwable missing) {
            System.err.println("no RocksDB options: " + missing);
        }
    }

    /** Type word and enum constants, by asking the converter. */
    private static String[] accepted(Object entry) {
        Object value = null;
        for (String sample : new String[] {"1", "0", "2", "10", "1024", "100000", "0.5", "1.5"}) {
            value = convert(entry, sample);
            if (value != null) {
                break;
            }
        }
        Object truth = convert(entry, "true");
        if (truth instanceof Boolean) {
            return new String[] {"boolean", ""};
        }
        if (value instanceof Integer) {
            return new String[] {"int", ""};
        }
        if (value instanceof Double) {
            return new String[] {"double", ""};
        }
        if (value instanceof Long) {
            boolean time = accepts(entry, "1min", "10min", "100s", "1d");
            return new String[] {time ? "time" : accepts(entry, "1k", "10m", "1g", "64k") ? "bytes" : "long", ""};
        }
        if (value instanceof Enum) {
            value = null;
        }
        String choices = choices(entry);
        if (!choices.isEmpty()) {
            String first = choices.split("\\|")[0];
            boolean loose = convert(entry, first.toLowerCase()) != null && convert(entry, first.toUpperCase()) != null;
            return new String[] {loose ? "enum" : "string", choices};
        }
        if (value == null) {
            value = convert(entry, "a");
        }
        String name = value == null ? "" : value.getClass().getName();
        if (name.startsWith("scala.collection.")) {
            return new String[] {"list<string>", ""};
        }
        if (value == null && accepts(entry, "1min", "10min", "100s", "1d", "1h")) {
            return new String[] {"time", ""};
        }
        if (value == null && accepts(entry, "1k", "10m", "1g", "64k", "512m", "100k")) {
            return new String[] {"bytes", ""};
        }
        return new String[] {"string", ""};
    }

    private static boolean accepts(Object entry, String... samples) {
        for (String sample : samples) {
            if (convert(entry, sample) != null) {
                return true;
            }
        }
        return false;
    }

    private static Object convert(Object entry, String text) {
        try {
            return unwrap(apply(entry, text));
        } catch (Throwable refused) {
            return null;
        }
    }

    private static Object unwrap(Object value) throws Exception {
        if (value != null && value.getClass().getName().equals("scala.Some")) {
            return value.getClass().getMethod("value").invoke(value);
        }
        return value;
    }

    private static Object apply(Object entry, String text) throws Throwable {
        Object converter = get(entry, "valueConverter");
        if (converter == null) {
            converter = get(entry, "rawValueConverter");
        }
        Method method = Class.forName("scala.Function1", true, loader).getMethod("apply", Object.class);
        try {
            return method.invoke(converter, text);
        } catch (InvocationTargetException error) {
            throw error.getCause();
        }
    }

    private static String choices(Object entry) {
        try {
            Object value = unwrap(apply(entry, "no-such-value"));
            return "";
        } catch (Throwable refused) {
            Matcher matcher = CHOICES.matcher(String.valueOf(refused.getMessage()));
            if (!matcher.find()) {
                return "";
            }
            List<String> values = new ArrayList<>();
            for (String value : matcher.group(1).split("[,;]")) {
                value = value.trim().replaceAll("^['\"`]|['\"`]$", "");
                if (!value.matches("[A-Za-z0-9_.+-]+")) {
                    return "";
                }
                values.add(value);
            }
            values.sort(null);
            if (new TreeSet<>(values).size() < values.size()) {
                return ""; // combinations, not constants
            }
            return String.join("|", values);
        }
    }

    private static Object get(Object target, String name) {
        for (Class<?> at = target.getClass(); at != null; at = at.getSuperclass()) {
            try {
                Method method = at.getDeclaredMethod(name);
                method.setAccessible(true);
                return method.invoke(target);
            } catch (NoSuchMethodException next) {
                // declared further up
            } catch (ReflectiveOperationException error) {
                throw new IllegalStateException(error.getCause() == null ? error : error.getCause());
            }
        }
        return null;
    }

    /** The maps that SparkConf and SQLConf warn from. */
    private static void printHistory() throws Exception {
        Object core = module("org.apache.spark.SparkConf$");
        for (Map.Entry<String, Object> known : map(field(core, "deprecatedConfigs")).entrySet()) {
            row("deprecated", known.getKey(), String.valueOf(get(known.getValue(), "version")));
        }
        for (Map.Entry<String, Object> known : map(field(core, "configsWithAlternatives")).entrySet()) {
            for (Object alternative : sequence(known.getValue())) {
                row("alias", known.getKey(), String.valueOf(get(alternative, "key")));
            }
        }
        Object sql = module("org.apache.spark.sql.internal.SQLConf$");
        for (Map.Entry<String, Object> known : map(get(sql, "deprecatedSQLConfigs")).entrySet()) {
            row("deprecated", known.getKey(), String.valueOf(get(known.getValue(), "version")));
        }
        for (String key : map(get(sql, "removedSQLConfigs")).keySet()) {
            row("removed", key);
        }
    }

    private static Object module(String name) throws Exception {
        return Class.forName(name, true, loader).getField("MODULE$").get(null);
    }

    private static Object field(Object target, String name) throws Exception {
        for (Class<?> owner : new Class<?>[] {target.getClass(), Class.forName(target.getClass().getName().replaceFirst("\\$$", ""), true, loader)}) {
            for (Field field : owner.getDeclaredFields()) {
                if (field.getName().equals(name) || field.getName().endsWith("$$" + name)) {
                    field.setAccessible(true);
                    return field.get(java.lang.reflect.Modifier.isStatic(field.getModifiers()) ? null : target);
                }
            }
        }
        throw new NoSuchFieldException(name);
    }

    private static Map<String, Object> map(Object scala) throws Exception {
        Map<String, Object> found = new TreeMap<>();
        for (Object pair : sequence(scala.getClass().getMethod("toSeq").invoke(scala))) {
            found.put((String) get(pair, "_1"), get(pair, "_2"));
        }
        return found;
    }

    private static List<Object> sequence(Object scala) throws Exception {
        List<Object> found = new ArrayList<>();
        Object iterator = Class.forName("scala.collection.IterableLike".replace("IterableLike", "Iterable"), true, loader).getMethod("iterator").invoke(scala);
        Class<?> type = Class.forName("scala.collection.Iterator", true, loader);
        while ((Boolean) type.getMethod("hasNext").invoke(iterator)) {
            found.add(type.getMethod("next").invoke(iterator));
        }
        return found;
    }

    private static void printSource(String name) {
        String format = name.substring(name.lastIndexOf('.') + 1).replaceFirst("(Source)?Options$", "").toLowerCase();
        try {
            Object options = module("org.apache.spark.sql." + name + "$");
            Set<String> keys = new TreeSet<>();
            Method all = null;
            for (Method method : options.getClass().getMethods()) {
                if (method.getName().equals("getAllOptions") && method.getParameterCount() == 0) {
                    all = method;
                }
            }
            if (all == null) {
                return; // before 3.3 options were plain strings
            }
            for (Object key : sequence(all.invoke(options))) {
                keys.add((String) key);
            }
            for (String key : keys) {
                row("source", format, key);
            }
        } catch (ClassNotFoundException missing) {
            // another version's
        } catch (Throwable error) {
            System.err.println("skipped " + name + ": " + error);
        }
    }

    /** The Kafka source names its options in constants, most of them in lower case. */
    private static void printKafka() {
        try {
            Object provider = module("org.apache.spark.sql.kafka010.KafkaSourceProvider$");
            Set<String> keys = new TreeSet<>();
            for (Field field : provider.getClass().getDeclaredFields()) {
                if (field.getType() == String.class && field.getName().matches("(.*[$])?[A-Z_]+(_KEY|_OPTION)?")) {
                    field.setAccessible(true);
                    String value = (String) field.get(provider);
                    if (value != null && value.matches("[A-Za-z.]+")) {
                        keys.add(value);
                    }
                }
            }
            for (Field field : provider.getClass().getDeclaredFields()) {
                if (field.getName().endsWith("STRATEGY_OPTION_KEYS")) {
                    field.setAccessible(true);
                    for (Object key : sequence(field.get(provider))) {
                        keys.add((String) key);
                    }
                }
            }
            for (String key : keys) {
                row("source", "kafka", key);
            }
        } catch (Throwable missing) {
            System.err.println("no Kafka options: " + missing);
        }
    }

    private static void printDelta() {
        try {
            Object options = module("org.apache.spark.sql.delta.DeltaOptions$");
            Set<String> keys = new TreeSet<>();
            for (Object key : sequence(get(options, "validOptionKeys"))) {
                keys.add((String) key);
            }
            for (String key : keys) {
                row("source", "delta", key);
            }
        } catch (Throwable missing) {
            System.err.println("no Delta options: " + missing);
        }
    }

    private static void row(String... cells) {
        for (int i = 0; i < cells.length; i++) {
            cells[i] = cells[i].replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r");
        }
        out.println(String.join("\t", cells));
    }

    private SparkOptions() {}
}
