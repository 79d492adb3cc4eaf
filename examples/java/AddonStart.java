import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;

/**
 * The start of an addon: fetches all lists in one call, caches them on disk for times when the service is unreachable, adds
 * one kill however often the request must be sent, and shows the player why a change was refused. Requires Java 11 or
 * later and no libraries:
 *
 *   GAMEADDON_TOKEN=gat_… java examples/java/AddonStart.java http://127.0.0.1:8888 Ada
 *
 * The token can also be the second of three arguments, but then everybody on the machine can see it. Without a token,
 * GAMEADDON_CODE is the code of an invitation: the first start exchanges it for a token, which later ones find. The folder of
 * that token and of the cached lists is GAMEADDON_FOLDER, by default ".gameaddon" in the home folder. With GAMEADDON_WATCH it goes
 * on, and shows what changes.
 */
public final class AddonStart {

  private static final String VERSION = "2.5.1";

  public static void main(String[] arguments) throws Exception {
    if (arguments.length < 2 || arguments.length > 3) exitWithUsage();
    String player = arguments[arguments.length - 1];
    String token = arguments.length == 3 ? arguments[1] : System.getenv("GAMEADDON_TOKEN");
    Path kept = folder().resolve("token-" + encode(player));
    boolean keepsToken = token == null;
    if (token == null && Files.exists(kept)) token = Files.readString(kept);
    String secret = token == null ? System.getenv("GAMEADDON_CODE") : token;
    if (secret == null || !secret.strip().matches("[!-~]+")) exitWithUsage();
    if (token == null) {
      try {
        token = claim(arguments[0], secret.strip(), kept);
      } catch (Refused refused) {
        show(refused);
        return;
      } catch (Away away) {
        System.out.println("There is no token yet: " + away.getMessage());
        return;
      }
    }
    Service service = new Service(arguments[0], token.strip(), VERSION);

    try {
      showLists(new Lists(folder().resolve("lists-" + encode(player))).load(service));
    } catch (Refused refused) {
      show(refused);
      // If a proxy sent the claim twice, another token has replaced this one: the next start exchanges the code again.
      if (keepsToken && refused.code.equals("TOKEN_REVOKED") && System.getenv("GAMEADDON_CODE") != null) {
        Files.deleteIfExists(kept);
      }
    } catch (Away away) {
      System.out.println("There are no lists yet: " + away.getMessage());
    }
    makeChange(service, "/statistic/" + encode(player) + "/add?type=KILL");
    // Refused unless the player is in the group TARGETLIST; then refused because nobody of that name is on the list.
    makeChange(service, "/targetlist/done?name=Nobody");
    if (System.getenv("GAMEADDON_WATCH") != null) {
      try {
        new Watch(service, news -> onNews(service, news)).run();
      } catch (Refused refused) {
        show(refused);
      }
    }
  }

  /** Shows what has changed: the current events themselves, or the lists, which it fetches again. */
  private static void onNews(Service service, Map<?, ?> news) {
    if (news.containsKey("gangwar")) {
      System.out.println("Gang war: " + news.get("gangwar"));
      return;
    }
    try {
      System.out.println("Changed: " + news.get("resources"));
      showLists(service.get("/bundle").json);
    } catch (Refused refused) {
      show(refused);
    } catch (Away away) {
      System.out.println("The lists are not up to date: " + away.getMessage());
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private static void exitWithUsage() {
    System.err.println("Usage: GAMEADDON_TOKEN=<token> (or GAMEADDON_CODE=<code>) java AddonStart.java <base-url> <player>");
    System.exit(2);
  }

  /**
   * Exchanges the code of an invitation for a token, and keeps that in a file. If the answer gets lost, the same code gives
   * another token.
   */
  private static String claim(String baseUrl, String code, Path file)
      throws Refused, Away, IOException, InterruptedException {
    Service invited = new Service(baseUrl, code, VERSION);
    String token = (String) invited.get("/token/claim?addonVersion=" + VERSION).json.get("token");
    keep(file, token);
    return token;
  }

  /** Replaces a file atomically. On POSIX systems only its owner can read it. */
  private static void keep(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Path temporary = Files.createTempFile(file.getParent(), "new", ".tmp");
    Files.writeString(temporary, text);
    Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Sends a change and shows the player the result. */
  private static void makeChange(Service service, String change) throws InterruptedException {
    // One key per intended change: all attempts carry the same one.
    String key = UUID.randomUUID().toString();
    try {
      System.out.println(service.get(change, "Idempotency-Key", key).json.get("info"));
    } catch (Refused refused) {
      show(refused);
    } catch (Away away) {
      System.out.println("The change may or may not have arrived: " + away.getMessage());
    }
  }

  private static void show(Refused refused) {
    System.out.println("Refused (" + refused.code + "): " + refused.getMessage());
  }

  private static void showLists(Map<?, ?> lists) {
    System.out.println("Lists: " + lists.keySet());
    for (Object each : listOf(lists, "wantedreason")) {
      Map<?, ?> reason = (Map<?, ?>) each;
      // A space is written "-" on the wire. Whole numbers fit an int.
      String text = ((String) reason.get("reason")).replace('-', ' ');
      int points = Math.toIntExact((Long) reason.get("points"));
      System.out.println("  " + text + ": " + points + " points");
    }
    for (Object each : listOf(lists, "houseban")) {
      Map<?, ?> ban = (Map<?, ?>) each;
      // Instants are milliseconds since 1970 and need a long.
      Instant until = Instant.ofEpochMilli((Long) ban.get("expirationTime"));
      System.out.println("  " + ban.get("name") + " is banned until " + until);
    }
  }

  /** Returns a list of the bundle, or an empty list if the caller may not read it. */
  private static List<?> listOf(Map<?, ?> lists, String name) {
    Object list = lists.get(name);
    return list == null ? List.of() : (List<?>) list;
  }

  private static Path folder() {
    String given = System.getenv("GAMEADDON_FOLDER");
    return given != null ? Path.of(given) : Path.of(System.getProperty("user.home"), ".gameaddon");
  }

  /** Encodes a text for a path or a query. */
  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** The lists, cached in a file: its first line is the ETag, the rest the body. */
  private static final class Lists {
    private final Path file;
    private String etag;
    private Map<?, ?> cached;

    Lists(Path file) {
      this.file = file;
      try {
        String[] parts = Files.readString(file).split("\n", 2);
        cached = (Map<?, ?>) Json.parse(parts[1]);
        etag = parts[0];
      } catch (IOException | RuntimeException none) {
        // The first start, or a damaged file: fetch everything.
      }
    }

    Map<?, ?> load(Service service) throws Refused, Away, InterruptedException {
      Answer answer;
      try {
        answer = etag == null ? service.get("/bundle") : service.get("/bundle", "If-None-Match", etag);
      } catch (Away away) {
        if (cached == null) throw away;
        System.out.println("Showing cached lists: " + away.getMessage());
        return cached;
      }
      if (answer.status == 304) {
        if (cached == null) throw new Away("another server answered");
        System.out.println("Nothing has changed.");
        return cached;
      }
      try {
        keep(file, answer.etag + "\n" + answer.body);
      } catch (IOException error) {
        System.err.println("The lists could not be cached: " + error);
      }
      return answer.json;
    }
  }

  /** The service. The token is in a header: in no URL, and in no exception that this throws. */
  private static final class Service {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int ATTEMPTS = 3;
    private static final long LONGEST_WAIT_SECONDS = 60;
    private static final Set<Integer> PASSING = Set.of(429, 502, 503, 504);

    private final HttpClient client = HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .connectTimeout(Duration.ofSeconds(5))
        .build();
    private final String start;
    private final String authorization;
    private final String userAgent;

    Service(String baseUrl, String token, String version) {
      URI.create(baseUrl);
      start = baseUrl.replaceAll("/+$", "") + "/gameaddon/v1/-";
      authorization = "Bearer " + token;
      userAgent = "gameaddon/" + version;
    }

    /**
     * Calls an operation, always by GET. Retries where that is safe and can help: reads are safe, and so are changes
     * with an Idempotency-Key.
     */
    Answer get(String path, String... header) throws Refused, Away, InterruptedException {
      HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(start + path));
      builder.header("Authorization", authorization);
      builder.header("User-Agent", userAgent).header("Accept-Encoding", "gzip");
      if (header.length > 0) builder.headers(header);
      HttpRequest request = builder.build();
      for (int attempt = 1; ; attempt += 1) {
        long wait = (125L << attempt) + ThreadLocalRandom.current().nextLong(250);
        String trouble;
        try {
          HttpResponse<byte[]> response = send(request);
          int status = response.statusCode();
          if (status == 200 || status == 304) return new Answer(response);
          trouble = "it answered with " + status;
          // 429: too many requests. Its message says how long to wait.
          boolean isLimited = status == 429 && attempt == ATTEMPTS;
          if (!PASSING.contains(status) || isLimited) throw new Refused(new Answer(response).body);
          // Retry-After is in seconds. Nobody waits for minutes here: the lists are cached.
          String after = response.headers().firstValue("Retry-After").orElse("0");
          if (!after.matches("\\d{1,9}") || Long.parseLong(after) > LONGEST_WAIT_SECONDS)
            throw new Away("the service is busy (Retry-After: " + after + ")");
          wait += Long.parseLong(after) * 1000;
        } catch (IOException error) {
          trouble = error.getClass().getSimpleName();
        } catch (Json.Malformed malformed) {
          throw new Away("another server answered");
        }
        if (attempt == ATTEMPTS) throw new Away("the service is unreachable (" + trouble + ")");
        Thread.sleep(wait);
      }
    }

    /** Opens an answer that goes on. The timeout is for its beginning. */
    InputStream open(String path) throws Refused, IOException, InterruptedException {
      HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(start + path)).timeout(TIMEOUT);
      builder.header("Authorization", authorization).header("User-Agent", userAgent);
      HttpResponse<InputStream> response = client.send(builder.build(), HttpResponse.BodyHandlers.ofInputStream());
      if (response.statusCode() == 200) return response.body();
      try (InputStream body = response.body()) {
        int status = response.statusCode();
        if (PASSING.contains(status) || status >= 500)
          throw new Busy(response.headers().firstValue("Retry-After").orElse("0"));
        ScheduledFuture<?> deadline = closeAfter(TIMEOUT, body);
        String refusal = new String(body.readAllBytes(), StandardCharsets.UTF_8);
        deadline.cancel(false);
        throw new Refused(refusal);
      }
    }

    /** Sends a request. Unlike the timeout of the request builder, this one includes the body. */
    private HttpResponse<byte[]> send(HttpRequest request) throws IOException, InterruptedException {
      var sent = client.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray());
      try {
        return sent.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
      } catch (TimeoutException late) {
        sent.cancel(true);
        throw new IOException(late);
      } catch (ExecutionException failed) {
        if (failed.getCause() instanceof IOException) throw (IOException) failed.getCause();
        throw new IOException(failed.getCause());
      }
    }
  }

  /**
   * Follows the stream of the service, and connects again when it breaks off. After a change it waits a random time of up to 3
   * seconds: thousands of clients that fetch at once would be an attack.
   */
  private static final class Watch {
    /** The service sends something every 15 seconds. */
    private static final Duration SILENCE = Duration.ofSeconds(45);
    private static final long LONGEST_PAUSE = 10_000;

    private final Service service;
    private final Consumer<Map<?, ?>> listener;
    /** Runs the listener, which may wait for the service. */
    private final ScheduledExecutorService telling = Executors.newSingleThreadScheduledExecutor(AddonStart::daemon);
    private final Set<Object> changed = new LinkedHashSet<>();

    Watch(Service service, Consumer<Map<?, ?>> listener) {
      this.service = service;
      this.listener = listener;
    }

    /** Runs until the service refuses, such as a token that was revoked. */
    void run() throws Refused, InterruptedException {
      boolean isFirst = true;
      for (long pause = 2000; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
        long began = System.nanoTime();
        long asked = 0;
        try (InputStream stream = service.open("/stream")) {
          // Once it is open, since anything may have changed until then.
          if (!isFirst) tellLater(List.of("everything"));
          read(stream);
        } catch (Busy busy) {
          asked = busy.milliseconds;
        } catch (IOException | Json.Malformed broken) {
          // Connect again.
        }
        if (System.nanoTime() - began > Duration.ofMinutes(1).toNanos()) pause = 2000;
        Thread.sleep(Math.max(asked, pause / 2) + ThreadLocalRandom.current().nextLong(pause / 2));
        isFirst = false;
      }
    }

    private void read(InputStream stream) throws IOException {
      BufferedReader lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8));
      String name = "";
      for (;;) {
        ScheduledFuture<?> silence = closeAfter(SILENCE, stream);
        String line = lines.readLine();
        silence.cancel(false);
        if (line == null) return;
        if (line.startsWith("event: ")) name = line.substring(7);
        if (!line.startsWith("data: ")) continue;
        Map<?, ?> data = (Map<?, ?>) Json.parse(line.substring(6));
        if (name.equals("event")) telling.execute(() -> listener.accept(data));
        if (name.equals("changed")) tellLater((List<?>) data.get("resources"));
      }
    }

    /** Reports changed resources after a random delay, together with any that change in the meantime. */
    private synchronized void tellLater(List<?> resources) {
      boolean isWaiting = !changed.isEmpty();
      changed.addAll(resources);
      if (!isWaiting) telling.schedule(this::tell, ThreadLocalRandom.current().nextLong(3000), TimeUnit.MILLISECONDS);
    }

    private void tell() {
      listener.accept(Map.of("resources", take()));
    }

    private synchronized List<Object> take() {
      List<Object> taken = new ArrayList<>(changed);
      changed.clear();
      return taken;
    }
  }

  private static final ScheduledExecutorService TIMER = Executors.newSingleThreadScheduledExecutor(AddonStart::daemon);

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    return thread;
  }

  /** Closes a stream after a time: whoever reads from it then goes on. */
  private static ScheduledFuture<?> closeAfter(Duration time, InputStream stream) {
    return TIMER.schedule(() -> {
      stream.close();
      return null;
    }, time.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** An answer: a 200 with data, or a 304 without. */
  private static final class Answer {
    final int status;
    final String etag;
    final String body;
    /** The object in a 200. Anything else comes from something in between, such as the login page of a network. */
    final Map<?, ?> json;

    Answer(HttpResponse<byte[]> response) throws IOException {
      status = response.statusCode();
      etag = response.headers().firstValue("ETag").orElse("");
      boolean isGzip = response.headers().firstValue("Content-Encoding").orElse("").equals("gzip");
      byte[] bytes = response.body();
      if (isGzip) bytes = new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes();
      body = new String(bytes, StandardCharsets.UTF_8);
      Object parsed = status == 200 ? Json.parse(body) : null;
      if (status == 200 && !(parsed instanceof Map)) throw new Json.Malformed(0);
      json = (Map<?, ?>) parsed;
    }
  }

  /** A refusal by the service. The message is its "info", a sentence for the player. */
  private static final class Refused extends Exception {
    final String code;

    /** @throws Json.Malformed for the refusal of something in between */
    Refused(String body) {
      this(failureIn(Json.parse(body)));
    }

    private static Map<?, ?> failureIn(Object parsed) {
      Map<?, ?> failure = parsed instanceof Map ? (Map<?, ?>) parsed : Map.of();
      if (failure.get("info") instanceof String && failure.get("code") instanceof String) return failure;
      throw new Json.Malformed(0);
    }

    private Refused(Map<?, ?> failure) {
      super((String) failure.get("info"));
      code = (String) failure.get("code");
    }
  }

  /** The service cannot open a stream now. */
  private static final class Busy extends IOException {
    /** How long it asks to wait; a minute at most. */
    final long milliseconds;

    Busy(String retryAfter) {
      long seconds = retryAfter.matches("\\d{1,9}") ? Long.parseLong(retryAfter) : 0;
      milliseconds = 1000 * Math.min(seconds, Service.LONGEST_WAIT_SECONDS);
    }
  }

  /** No answer of the service arrived. */
  private static final class Away extends Exception {
    Away(String message) {
      super(message);
    }
  }

  /** Reads JSON: Map, List, String, Boolean, null, Long for whole numbers, and Double for others. */
  private static final class Json {
    static final class Malformed extends RuntimeException {
      Malformed(int at) {
        super("This is not JSON, from character " + at + " on.");
      }
    }

    private final String text;
    private int at;

    private Json(String text) {
      this.text = text;
    }

    static Object parse(String text) {
      Json json = new Json(text);
      Object value = json.value();
      if (json.next() != '\0') throw new Malformed(json.at);
      return value;
    }

    /** Skips white space and returns the next character without consuming it, or '\0' at the end. */
    private char next() {
      while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at += 1;
      return at < text.length() ? text.charAt(at) : '\0';
    }

    /** Consumes a character if it is the next one. */
    private boolean pass(char expected) {
      if (next() != expected) return false;
      at += 1;
      return true;
    }

    private void require(boolean isRight) {
      if (!isRight) throw new Malformed(at);
    }

    private Object value() {
      switch (next()) {
        case '{': return object();
        case '[': return array();
        case '"': return string();
        case 't': return word("true", true);
        case 'f': return word("false", false);
        case 'n': return word("null", null);
        default: return number();
      }
    }

    private Map<String, Object> object() {
      Map<String, Object> map = new LinkedHashMap<>();
      require(pass('{'));
      if (pass('}')) return map;
      do {
        require(next() == '"');
        String key = string();
        require(pass(':'));
        map.put(key, value());
      } while (pass(','));
      require(pass('}'));
      return map;
    }

    private List<Object> array() {
      List<Object> list = new ArrayList<>();
      require(pass('['));
      if (pass(']')) return list;
      do list.add(value()); while (pass(','));
      require(pass(']'));
      return list;
    }

    private Object word(String word, Object value) {
      require(text.startsWith(word, at));
      at += word.length();
      return value;
    }

    private Object number() {
      int start = at;
      while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) at += 1;
      String number = text.substring(start, at);
      try {
        if (number.matches("-?(0|[1-9]\\d*)")) return Long.valueOf(number);
      } catch (NumberFormatException large) {
        throw new Malformed(start);
      }
      require(number.matches("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?"));
      return Double.valueOf(number);
    }

    private String string() {
      StringBuilder string = new StringBuilder();
      for (at += 1; ; at += 1) {
        require(at < text.length());
        char character = text.charAt(at);
        if (character == '"') break;
        require(character >= ' ');
        string.append(character == '\\' ? escaped() : character);
      }
      at += 1;
      return string.toString();
    }

    /** Returns the character of an escape sequence, up to but not including its last character. */
    private char escaped() {
      at += 1;
      require(at < text.length());
      char character = text.charAt(at);
      if (character == 'u') {
        require(at + 4 < text.length());
        String digits = text.substring(at + 1, at + 5);
        require(digits.matches("[0-9A-Fa-f]{4}"));
        at += 4;
        return (char) Integer.parseInt(digits, 16);
      }
      int index = "\"\\/bfnrt".indexOf(character);
      require(index >= 0);
      return "\"\\/\b\f\n\r\t".charAt(index);
    }
  }
}
