import java.io.PrintStream;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Prints every key of the Kafka {@code ConfigDef}s of the named classes, one TSV row each.
 *
 * <p>Usage: {@code java KafkaOptions.java class[,class...] jar...}. A definition is taken from the static {@code configDef()} or
 * {@code config()}, or else from static fields of that type. Classes that a version lacks are named on standard error.
 *
 * <p>Columns: class, key, type, default, what the validator says of itself, flags ("d" deprecated constant, "i" internal).
 */
public final class KafkaOptions {
    private static final String CONFIG_DEF = "org.apache.kafka.common.config.ConfigDef";

    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        System.setOut(System.err);
        URL[] urls = new URL[args.length - 1];
        for (int i = 1; i < args.length; i++) {
            urls[i - 1] = Path.of(args[i]).toUri().toURL();
        }
        ClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
        Thread.currentThread().setContextClassLoader(loader);
        for (String name : args[0].split(",")) {
            try {
                Class<?> owner = Class.forName(name, true, loader);
                for (Object definition : definitions(owner)) {
                    print(out, owner, definition);
                }
            } catch (ClassNotFoundException | IllegalStateException missing) {
                System.err.println("skipped " + name + ": " + missing);
            }
        }
        out.flush();
        System.exit(0);
    }

    private static List<Object> definitions(Class<?> owner) throws Exception {
        List<Object> found = new ArrayList<>();
        for (String name : new String[] {"configDef", "config", "baseConfigDef"}) {
            try {
                Method method = owner.getDeclaredMethod(name);
                if (Modifier.isStatic(method.getModifiers()) && method.getReturnType().getName().equals(CONFIG_DEF)) {
                    method.setAccessible(true);
                    found.add(method.invoke(null));
                    return found;
                }
            } catch (NoSuchMethodException next) {
                // another version names it otherwise
            }
        }
        for (Method method : owner.getDeclaredMethods()) {
            // Connect's distributed worker asks for a source of key algorithms; its interface holds the system's.
            if (method.getName().equals("config") && Modifier.isStatic(method.getModifiers()) && method.getParameterCount() == 1) {
                method.setAccessible(true);
                found.add(method.invoke(null, method.getParameterTypes()[0].getField("SYSTEM").get(null)));
                return found;
            }
        }
        for (Field field : owner.getDeclaredFields()) {
            if (Modifier.isStatic(field.getModifiers()) && field.getType().getName().equals(CONFIG_DEF)) {
                field.setAccessible(true);
                found.add(field.get(null));
            }
        }
        if (found.isEmpty()) {
            throw new IllegalStateException("no ConfigDef in " + owner);
        }
        return found;
    }

    private static void print(PrintStream out, Class<?> owner, Object definition) throws Exception {
        Set<String> deprecated = new HashSet<>();
        for (Class<?> at = owner; at != null; at = at.getSuperclass()) {
            for (Field field : at.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers()) && field.getType() == String.class && field.isAnnotationPresent(Deprecated.class)) {
                    field.setAccessible(true);
                    deprecated.add((String) field.get(null));
                }
            }
        }
        Map<?, ?> keys = new TreeMap<>((Map<?, ?>) definition.getClass().getMethod("configKeys").invoke(definition));
        for (Map.Entry<?, ?> entry : keys.entrySet()) {
            Object key = entry.getValue();
            boolean has = (Boolean) key.getClass().getMethod("hasDefault").invoke(key);
            Object value = has ? get(key, "defaultValue") : null;
            Object validator = get(key, "validator");
            boolean internal = (Boolean) get(key, "internalConfig");
            String[] row = {
                owner.getName(), (String) entry.getKey(), String.valueOf(get(key, "type")).toLowerCase(),
                value == null ? "" : "=" + text(value), validator == null ? "" : validator.toString(),
                (deprecated.contains(entry.getKey()) ? "d" : "") + (internal ? "i" : ""),
            };
            for (int i = 0; i < row.length; i++) {
                row[i] = row[i].replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r");
            }
            out.println(String.join("\t", row));
        }
    }

    private static Object get(Object target, String name) throws Exception {
        try {
            return target.getClass().getField(name).get(target);
        } catch (NoSuchFieldException older) {
            return name.equals("internalConfig") ? Boolean.FALSE : null;
        }
    }

    private static String text(Object value) {
        if (value instanceof Class) {
            return ((Class<?>) value).getName();
        }
        if (value instanceof Collection) {
            List<String> parts = new ArrayList<>();
            for (Object item : (Collection<?>) value) {
                parts.add(text(item));
            }
            return String.join(",", parts);
        }
        return value.toString();
    }

    private KafkaOptions() {}
}
