import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/**
 * Prints Flink {@code ConfigOption}s of the jars named on the command line, one TSV row each.
 *
 * <p>Usage: {@code java FlinkOptions.java [-factories] [-only jar,jar] jar...}. Without {@code -factories}: all static options. With it:
 * the options that each table factory (connector, format, catalogue) accepts, as it tells itself; three columns go before the row: the
 * factory's kinds ("|"), its identifier, "r" for a required option. With {@code -only}, classes are taken from those jars alone and the
 * others merely complete the class path. All access is by reflection, so that one source serves every Flink version.
 *
 * <p>Columns: key, declaring class and field, jar, type, default, enum values ("|"), aliases ("|", a leading "-" marks a fallback that
 * is not deprecated), flags ("d" deprecated field, "c" deprecated class, "h" hidden from the documentation), suffix prefix.
 */
public final class FlinkOptions {
    private static final String CONFIG_OPTION = "org.apache.flink.configuration.ConfigOption";
    private static final String SERVICES = "META-INF/services/org.apache.flink.table.factories.Factory";
    private static final byte[] DESCRIPTOR = ("L" + CONFIG_OPTION.replace('.', '/') + ";").getBytes(StandardCharsets.ISO_8859_1);

    public static void main(String[] args) throws Exception {
        List<String> paths = new ArrayList<>(Arrays.asList(args));
        Set<String> only = new LinkedHashSet<>();
        boolean factories = !paths.isEmpty() && paths.get(0).equals("-factories");
        if (factories) {
            paths = paths.subList(1, paths.size());
        }
        if (!paths.isEmpty() && paths.get(0).equals("-only")) {
            only.addAll(Arrays.asList(paths.get(1).split(",")));
            paths = paths.subList(2, paths.size());
        }
        // Class initialisers print; only rows may reach standard output.
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        System.setOut(System.err);
        Path unpacked = Files.createTempDirectory("flink-options");
        List<Path> jars = new ArrayList<>();
        Map<String, String> candidates = new TreeMap<>();
        for (String path : paths) {
            scan(Path.of(path), factories, only.isEmpty() || only.contains(path), unpacked, jars, candidates);
        }
        URL[] urls = new URL[jars.size()];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = jars.get(i).toUri().toURL();
        }
        ClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
        Thread.currentThread().setContextClassLoader(loader);
        for (Map.Entry<String, String> candidate : candidates.entrySet()) {
            try {
                if (factories) {
                    printFactory(out, Class.forName(candidate.getKey(), true, loader), candidate.getValue());
                    continue;
                }
                printClass(out, Class.forName(candidate.getKey(), false, loader), candidate.getValue());
            } catch (Throwable error) {
                System.err.println("skipped " + candidate.getKey() + ": " + error);
            }
        }
        out.flush();
        for (Path jar : jars) {
            if (jar.startsWith(unpacked)) {
                Files.delete(jar);
            }
        }
        Files.delete(unpacked);
        System.exit(0); // some initialisers leave threads behind
    }

    private static void scan(Path jar, boolean factories, boolean wanted, Path unpacked, List<Path> jars, Map<String, String> candidates)
            throws IOException {
        jars.add(jar);
        try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(jar))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                String name = entry.getName();
                if (name.endsWith(".jar")) {
                    // The planner and RPC loaders carry their real jar inside.
                    Path inner = unpacked.resolve(jars.size() + "-" + Path.of(name).getFileName());
                    Files.copy(zip, inner);
                    scan(inner, factories, wanted, unpacked, jars, candidates);
                } else if (factories) {
                    if (wanted && name.equals(SERVICES)) {
                        for (String line : new String(zip.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
                            String service = line.replaceFirst("#.*", "").trim();
                            if (!service.isEmpty()) {
                                candidates.putIfAbsent(service, jar.getFileName().toString());
                            }
                        }
                    }
                } else if (wanted && name.endsWith(".class") && !name.startsWith("META-INF/") && contains(zip.readAllBytes())) {
                    candidates.putIfAbsent(name.substring(0, name.length() - 6).replace('/', '.'), jar.getFileName().toString());
                }
            }
        }
    }

    private static boolean contains(byte[] bytes) {
        outer:
        for (int i = 0; i <= bytes.length - DESCRIPTOR.length; i++) {
            for (int j = 0; j < DESCRIPTOR.length; j++) {
                if (bytes[i + j] != DESCRIPTOR[j]) {
                    continue outer;
                }
            }
            return true;
        }
        return false;
    }

    private static void printClass(PrintStream out, Class<?> owner, String jar) throws Exception {
        for (Field field : owner.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers()) || !field.getType().getName().equals(CONFIG_OPTION)) {
                continue;
            }
            field.setAccessible(true);
            Object option = field.get(null);
            if (option == null) {
                continue;
            }
            String flags = (field.isAnnotationPresent(Deprecated.class) ? "d" : "") + (owner.isAnnotationPresent(Deprecated.class) ? "c" : "");
            flags += annotation(field, "ExcludeFromDocumentation") != null ? "h" : "";
            Annotation suffix = annotation(field, "SuffixOption");
            if (suffix == null) {
                suffix = annotation(owner, "SuffixOption");
            }
            printOption(out, "", option, owner.getName() + "." + field.getName(), jar, flags, suffix == null ? "" : suffixPrefix(suffix));
        }
    }

    private static void printFactory(PrintStream out, Class<?> owner, String jar) throws Exception {
        java.lang.reflect.Constructor<?> constructor = owner.getDeclaredConstructor();
        constructor.setAccessible(true);
        Object factory = constructor.newInstance();
        Set<String> kinds = new LinkedHashSet<>();
        for (Class<?> at = owner; at != null; at = at.getSuperclass()) {
            addKinds(at, kinds);
        }
        String head = String.join("|", kinds) + "\t" + owner.getMethod("factoryIdentifier").invoke(factory) + "\t";
        for (String method : new String[] {"requiredOptions", "optionalOptions"}) {
            Map<String, Object> options = new TreeMap<>();
            for (Object option : (Iterable<?>) owner.getMethod(method).invoke(factory)) {
                options.put((String) call(option, "key"), option);
            }
            for (Object option : options.values()) {
                printOption(out, head + (method.startsWith("r") ? "r" : "") + "\t", option, owner.getName(), jar, "", "");
            }
        }
    }

    private static void addKinds(Class<?> type, Set<String> kinds) {
        for (Class<?> implemented : type.getInterfaces()) {
            if (implemented.getSimpleName().endsWith("Factory")) {
                kinds.add(implemented.getSimpleName());
            }
            addKinds(implemented, kinds);
        }
    }

    private static void printOption(PrintStream out, String head, Object option, String field, String jar, String flags, String suffix)
            throws Exception {
        Class<?> type = (Class<?>) call(option, "getClazz");
        boolean list = (Boolean) call(option, "isList");
        Object value = call(option, "defaultValue");
        String[] row = {
            (String) call(option, "key"), field, jar, list ? "list<" + typeName(type) + ">" : typeName(type),
            value == null ? "" : "=" + text(value), constants(type), aliases(option), flags, suffix,
        };
        for (int i = 0; i < row.length; i++) {
            row[i] = row[i].replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r");
        }
        out.println(head + String.join("\t", row));
    }

    private static Annotation annotation(AnnotatedElement element, String simpleName) {
        for (Annotation annotation : element.getAnnotations()) {
            if (annotation.annotationType().getSimpleName().equals(simpleName)) {
                return annotation;
            }
        }
        return null;
    }

    private static String suffixPrefix(Annotation suffix) {
        try {
            return String.valueOf(suffix.annotationType().getMethod("value").invoke(suffix));
        } catch (ReflectiveOperationException missing) {
            return "?"; // the annotation had no value before 1.16
        }
    }

    private static Object call(Object target, String method) throws Exception {
        Method found = target.getClass().getDeclaredMethod(method);
        found.setAccessible(true);
        return found.invoke(target);
    }

    private static String typeName(Class<?> type) {
        if (type.isEnum()) {
            return "enum";
        }
        switch (type.getSimpleName()) {
            case "Integer": return "int";
            case "MemorySize": return "memory";
            case "Boolean": case "Long": case "Double": case "Float": case "String": case "Duration": case "Map": case "Class":
                return type.getSimpleName().toLowerCase();
            default: return type.getSimpleName();
        }
    }

    private static String constants(Class<?> type) {
        if (!type.isEnum()) {
            return "";
        }
        List<String> names = new ArrayList<>();
        for (Object constant : type.getEnumConstants()) {
            names.add(constant.toString()); // Flink matches toString(), not name()
        }
        return String.join("|", names);
    }

    private static String aliases(Object option) throws Exception {
        List<String> keys = new ArrayList<>();
        for (Object fallback : (Iterable<?>) call(option, "fallbackKeys")) {
            keys.add(((Boolean) call(fallback, "isDeprecated") ? "" : "-") + call(fallback, "getKey"));
        }
        return String.join("|", keys);
    }

    private static String text(Object value) throws Exception {
        if (value instanceof Duration) {
            return duration((Duration) value);
        }
        if (value.getClass().getSimpleName().equals("MemorySize")) {
            return memory((Long) call(value, "getBytes"));
        }
        if (value instanceof Class) {
            return ((Class<?>) value).getName();
        }
        List<String> parts = new ArrayList<>();
        if (value instanceof Collection) {
            for (Object item : (Collection<?>) value) {
                parts.add(text(item));
            }
            return String.join(";", parts);
        }
        if (value instanceof Map) {
            for (Map.Entry<?, ?> entry : new TreeMap<>((Map<?, ?>) value).entrySet()) {
                parts.add(entry.getKey() + ":" + entry.getValue());
            }
            return String.join(",", parts);
        }
        return value.toString();
    }

    private static String duration(Duration value) {
        if (value.getNano() % 1_000_000 != 0) {
            return value.getSeconds() == 0 ? value.getNano() + " ns" : value.toString();
        }
        if (value.getNano() != 0) {
            return value.toMillis() + " ms";
        }
        long seconds = value.getSeconds();
        if (seconds == 0) {
            return "0 ms";
        }
        long[] sizes = {86_400, 3_600, 60};
        String[] units = {" d", " h", " min"};
        for (int i = 0; i < sizes.length; i++) {
            if (seconds % sizes[i] == 0) {
                return seconds / sizes[i] + units[i];
            }
        }
        return seconds + " s";
    }

    private static String memory(long bytes) {
        String[] units = {" tb", " gb", " mb", " kb"};
        for (int i = 0; i < units.length; i++) {
            long size = 1L << (10 * (4 - i));
            if (bytes != 0 && bytes % size == 0) {
                return bytes / size + units[i];
            }
        }
        return bytes + " bytes";
    }

    private FlinkOptions() {}
}
