import java.io.PrintStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Prints the properties of a Beam {@code PipelineOptions} interface and of all it extends, one TSV row each.
 *
 * <p>Usage: {@code java BeamOptions.java interface jar...}.
 *
 * <p>Columns: name, declaring interface, type, default, enum values ("|"), flags ("d" deprecated).
 */
public final class BeamOptions {
    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        System.setOut(System.err);
        URL[] urls = new URL[args.length - 1];
        for (int i = 1; i < args.length; i++) {
            urls[i - 1] = Path.of(args[i]).toUri().toURL();
        }
        ClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
        Map<String, Method> getters = new TreeMap<>();
        for (Method method : Class.forName(args[0], false, loader).getMethods()) {
            String name = method.getName().replaceFirst("^(get|is)", "");
            if (method.getParameterCount() == 0 && !name.equals(method.getName()) && !name.isEmpty()) {
                getters.putIfAbsent(Character.toLowerCase(name.charAt(0)) + name.substring(1), method);
            }
        }
        for (Map.Entry<String, Method> getter : getters.entrySet()) {
            Method method = getter.getValue();
            Class<?> type = method.getReturnType();
            List<String> values = new ArrayList<>();
            if (type.isEnum()) {
                for (Object constant : type.getEnumConstants()) {
                    values.add(constant.toString());
                }
            }
            String[] row = {
                getter.getKey(), method.getDeclaringClass().getSimpleName(), typeName(type), standard(method), String.join("|", values),
                method.isAnnotationPresent(Deprecated.class) ? "d" : "",
            };
            for (int i = 0; i < row.length; i++) {
                row[i] = row[i].replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r");
            }
            out.println(String.join("\t", row));
        }
        out.flush();
    }

    private static String standard(Method method) throws Exception {
        for (Annotation annotation : method.getAnnotations()) {
            String name = annotation.annotationType().getName();
            if (name.contains(".Default$") && !name.endsWith("$InstanceFactory")) {
                Object value = annotation.annotationType().getMethod("value").invoke(annotation);
                return "=" + (value instanceof Class ? ((Class<?>) value).getName() : value);
            }
        }
        return "";
    }

    private static String typeName(Class<?> type) {
        if (type.isEnum()) {
            return "enum";
        }
        switch (type.getSimpleName()) {
            case "Integer": return "int";
            case "List": return "list<string>";
            case "Map": return "map";
            case "Class": return "class";
            case "Boolean": case "Long": case "Double": case "Float": case "String":
                return type.getSimpleName().toLowerCase();
            default: return type.isPrimitive() ? type.getSimpleName() : "string";
        }
    }

    private BeamOptions() {}
}
