import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Parses the answer of every read into records as docs/reference.md has them, strictly: a property that is
 * missing or unknown, a number that does not fit, a null where none may be, or a read that the service describes and
 * this program does not know ends the program with 1.
 *
 * <p>Usage: {@code java StrictReads.java <url> [--allow-empty]}, with the token of a member of RESCUE and GROVE in
 * {@code GAMEADDON_TOKEN}. An empty list shows nothing of its entries, so it is refused without the option.
 */
public class StrictReads {
  /** Marks a component that can be null. */
  @java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME)
  @interface Nullable {}

  record TopEntry(String name, int value) {}
  record RatioEntry(String name, double value, int kills, int deaths) {}
  record Top(List<TopEntry> kills, List<TopEntry> deaths, List<TopEntry> playTime, List<TopEntry> revives,
      List<TopEntry> services, List<RatioEntry> kd) {}
  record Addon(@Nullable Long tokenGenerateTime, Map<String, Boolean> groups, boolean blacklisted,
      @Nullable String version) {}
  record Gameplay(int deaths, double kd, int kills, int playTime, int revives, int services) {}
  record Faction(String name, int rank) {}
  record PlayerStatistic(String name, String uuid, Addon gameaddon, Gameplay gameplay, @Nullable Faction faction) {}
  record Named(String name, @Nullable String uuid) {}
  record Target(String name, @Nullable String uuid, boolean done) {}
  record BlacklistReason(String reason, int price, int kills) {}
  record BanReason(String reason, int days) {}
  record AdvancedReason(String reason, int days, String creatorName, String creatorUUID) {}
  record Ban(String name, @Nullable String uuid, long startTime, long duration, long expirationTime,
      List<BanReason> houseBanReasonList) {}
  record AdvancedBan(String name, @Nullable String uuid, long startTime, long duration, long expirationTime,
      List<AdvancedReason> houseBanReasonList) {}
  record NaviPoint(String name, int x, int y, int z, String article) {}
  record WantedReason(String reason, int points) {}
  record VersionCount(String version, int users, boolean current) {}
  record Overview(int requests, int totalClients, int activeClients, @Nullable String latestVersion,
      List<VersionCount> versions) {}
  record User(String uuid, boolean active, @Nullable String version, boolean current) {}
  record Score(int attacker, int defender) {}
  record Events(@Nullable Long bankRob, @Nullable Long bomb, Score gangwar) {}

  record Bundle(Map<String, List<Named>> player, List<Target> targetlist, List<Ban> houseban,
      List<AdvancedReason> housebanreason, List<NaviPoint> navipoint, List<WantedReason> wantedreason, Events event,
      Top top, Map<String, List<BlacklistReason>> blacklistreason) {}

  /** Holds the types of the answers that are lists or maps. */
  record Shapes(List<String> groups, Map<String, List<Named>> player, List<Target> targets,
      List<BlacklistReason> blacklist, List<Ban> bans, List<AdvancedBan> advanced, List<AdvancedReason> reasons,
      List<NaviPoint> points, List<WantedReason> wanted, List<User> users) {}

  public static void main(String[] arguments) throws Exception {
    String prefix = arguments[0] + "/gameaddon/v1/";
    boolean allowEmpty = List.of(arguments).contains("--allow-empty");
    Map<String, Type> reads = new LinkedHashMap<>();
    reads.put("/statistic/top", Top.class);
    reads.put("/statistic/{player}", PlayerStatistic.class);
    reads.put("/player", shape("player"));
    reads.put("/player/groups", shape("groups"));
    reads.put("/targetlist", shape("targets"));
    reads.put("/blacklistreason/{factionString}", shape("blacklist"));
    reads.put("/houseban", shape("bans"));
    reads.put("/houseban?advanced=true", shape("advanced"));
    reads.put("/housebanreason", shape("reasons"));
    reads.put("/navipoint", shape("points"));
    reads.put("/wantedreason", shape("wanted"));
    reads.put("/mgmt", Overview.class);
    reads.put("/mgmt/users", shape("users"));
    reads.put("/event", Events.class);
    reads.put("/bundle", Bundle.class);
    HttpClient client = HttpClient.newHttpClient();
    boolean failed = false;
    for (String path : describedReads(client, prefix + "openapi.json")) {
      if (reads.containsKey(path)) continue;
      System.out.println("WRONG " + path + ": there is no record for it");
      failed = true;
    }
    for (Map.Entry<String, Type> read : reads.entrySet()) {
      String path = read.getKey().replace("{player}", "Ada").replace("{factionString}", "GROVE");
      try {
        Object value = new Json(get(client, prefix + System.getenv("GAMEADDON_TOKEN") + path)).document();
        if (!allowEmpty && List.of().equals(value)) throw new IllegalArgumentException("it is empty");
        convert(value, read.getValue(), false, "answer");
        System.out.println("ok " + path);
      } catch (IllegalArgumentException | ArithmeticException wrong) {
        System.out.println("WRONG " + path + ": " + wrong.getMessage());
        failed = true;
      }
    }
    System.exit(failed ? 1 : 0);
  }

  /** Returns the paths behind the token of all operations that the service describes as reads. */
  private static List<String> describedReads(HttpClient client, String address)
      throws IOException, InterruptedException {
    Map<?, ?> description = (Map<?, ?>) new Json(get(client, address)).document();
    List<String> paths = new ArrayList<>();
    for (Map.Entry<?, ?> item : ((Map<?, ?>) description.get("paths")).entrySet()) {
      Map<?, ?> operation = (Map<?, ?>) ((Map<?, ?>) item.getValue()).get("get");
      String path = (String) item.getKey();
      // The answer of a stream has no end.
      boolean isStream = path.endsWith("/stream");
      if ("read".equals(operation.get("x-effect")) && !isStream) paths.add(path.substring(path.indexOf('}') + 1));
    }
    if (paths.isEmpty()) throw new IllegalArgumentException("The service describes no reads.");
    return paths;
  }

  private static String get(HttpClient client, String address) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(address)).timeout(Duration.ofSeconds(10)).build();
    HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() != 200) throw new IllegalArgumentException("status " + response.statusCode());
    return response.body();
  }

  private static Type shape(String name) {
    for (RecordComponent each : Shapes.class.getRecordComponents())
      if (each.getName().equals(name)) return each.getGenericType();
    throw new AssertionError(name);
  }

  /** Converts a JSON value. Throws an IllegalArgumentException with the place where it does not fit. */
  private static Object convert(Object value, Type type, boolean nullable, String at)
      throws ReflectiveOperationException {
    if (value == null) {
      if (nullable) return null;
      throw new IllegalArgumentException(at + " is null");
    }
    if (type == int.class) return Math.toIntExact(whole(value, at));
    if (type == long.class || type == Long.class) return whole(value, at);
    if (type == double.class && value instanceof Number) return ((Number) value).doubleValue();
    if ((type == boolean.class || type == Boolean.class) && value instanceof Boolean) return value;
    if (type == String.class && value instanceof String) return value;
    if (type instanceof ParameterizedType) {
      Type[] inner = ((ParameterizedType) type).getActualTypeArguments();
      if (inner.length == 1 && value instanceof List) {
        List<Object> list = new ArrayList<>();
        for (Object each : (List<?>) value) list.add(convert(each, inner[0], false, at + "[" + list.size() + "]"));
        return list;
      }
      if (inner.length == 2 && value instanceof Map) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (Map.Entry<?, ?> each : ((Map<?, ?>) value).entrySet())
          map.put((String) each.getKey(), convert(each.getValue(), inner[1], false, at + "." + each.getKey()));
        return map;
      }
    }
    if (type instanceof Class && ((Class<?>) type).isRecord() && value instanceof Map)
      return convertRecord((Map<?, ?>) value, (Class<?>) type, at);
    throw new IllegalArgumentException(at + " is no " + type.getTypeName());
  }

  private static Object convertRecord(Map<?, ?> map, Class<?> type, String at) throws ReflectiveOperationException {
    RecordComponent[] components = type.getRecordComponents();
    Map<Object, Object> unknown = new LinkedHashMap<>(map);
    Class<?>[] types = new Class<?>[components.length];
    Object[] values = new Object[components.length];
    for (int index = 0; index < components.length; index += 1) {
      RecordComponent each = components[index];
      String name = each.getName();
      if (!map.containsKey(name)) throw new IllegalArgumentException(at + " has no " + name);
      unknown.remove(name);
      types[index] = each.getType();
      boolean nullable = each.isAnnotationPresent(Nullable.class);
      values[index] = convert(map.get(name), each.getGenericType(), nullable, at + "." + name);
    }
    if (!unknown.isEmpty()) throw new IllegalArgumentException(at + " has the unknown " + unknown.keySet());
    try {
      return type.getDeclaredConstructor(types).newInstance(values);
    } catch (InvocationTargetException wrong) {
      throw new IllegalArgumentException(at + ": " + wrong.getCause());
    }
  }

  private static long whole(Object value, String at) {
    if (value instanceof Long) return (Long) value;
    throw new IllegalArgumentException(at + " is no whole number");
  }

  /** Reads JSON: whole numbers as Long, others as Double. */
  private static class Json {
    private final String text;
    private int at = 0;

    Json(String text) {
      this.text = text;
    }

    Object document() {
      Object value = value();
      if (at != text.length()) throw wrong();
      return value;
    }

    private Object value() {
      char next = peek();
      if (next == '{') return object();
      if (next == '[') return array();
      if (next == '"') return string();
      for (Map.Entry<String, Object> word : List.of(Map.entry("true", (Object) true), Map.entry("false", (Object) false)))
        if (take(word.getKey())) return word.getValue();
      if (take("null")) return null;
      int start = at;
      while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) at += 1;
      String number = text.substring(start, at);
      if (number.matches("-?\\d+")) return Long.valueOf(number);
      return Double.valueOf(number);
    }

    private Map<String, Object> object() {
      Map<String, Object> map = new LinkedHashMap<>();
      expect('{');
      while (peek() != '}') {
        if (!map.isEmpty()) expect(',');
        String name = string();
        expect(':');
        if (map.containsKey(name)) throw wrong();
        map.put(name, value());
      }
      expect('}');
      return map;
    }

    private List<Object> array() {
      List<Object> list = new ArrayList<>();
      expect('[');
      while (peek() != ']') {
        if (!list.isEmpty()) expect(',');
        list.add(value());
      }
      expect(']');
      return list;
    }

    private String string() {
      StringBuilder result = new StringBuilder();
      expect('"');
      while (peek() != '"') {
        char next = text.charAt(at++);
        if (next != '\\') {
          result.append(next);
          continue;
        }
        char escaped = peek();
        at += 1;
        int known = "bfnrt".indexOf(escaped);
        if (escaped == 'u') {
          result.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
          at += 4;
        } else result.append(known < 0 ? escaped : "\b\f\n\r\t".charAt(known));
      }
      expect('"');
      return result.toString();
    }

    private char peek() {
      if (at >= text.length()) throw wrong();
      return text.charAt(at);
    }

    private void expect(char wanted) {
      if (peek() != wanted) throw wrong();
      at += 1;
    }

    private boolean take(String word) {
      if (!text.startsWith(word, at)) return false;
      at += word.length();
      return true;
    }

    private IllegalArgumentException wrong() {
      return new IllegalArgumentException("no JSON at character " + at);
    }
  }
}
