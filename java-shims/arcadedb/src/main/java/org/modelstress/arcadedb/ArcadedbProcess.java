package org.modelstress.arcadedb;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.modelstress.harness.server.Stores;

/**
 * ArcadeDB's own server program, a child of this process: it needs a newer Java than this project,
 * and has one with it. Its administrator has a new password at each start; clients are a user who
 * may only read.
 */
final class ArcadedbProcess implements AutoCloseable {
  static final String DATABASE = "model";
  static final String HTTP = "http";
  static final String BOLT = "tcp";
  private static final String READER = "reader";
  private static final String ROOT = "root";

  private static final String LOOPBACK = "127.0.0.1";
  private static final long READY_SECONDS = 60;
  private static final long END_SECONDS = 4;
  private static final long POLL_MILLIS = 50;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient client = HttpClient.newHttpClient();
  private final Map<String, Integer> ports = new HashMap<>();
  private final Path work;
  private final String bind;
  private final URI admin;
  private final String password;
  private final Process process;

  /**
   * Starts it and waits until it answers.
   *
   * @param databases folder of its databases
   * @param work where everything else is that it writes
   * @param bind address of what it listens on
   * @param wanted ports by protocol; 0: any that is free
   * @param heapMib of its Java runtime
   * @param settings ArcadeDB's own, without {@code arcadedb.} before their names
   * @throws BindException where a port is in use
   * @throws IOException where it cannot be started, ends, or does not answer
   */
  ArcadedbProcess(
      Path databases,
      Path work,
      String bind,
      Map<String, Integer> wanted,
      int heapMib,
      Map<String, String> settings)
      throws IOException, InterruptedException {
    this.work = work.toAbsolutePath();
    this.bind = bind;
    Path config = this.work.resolve("config");
    Stores.delete(config); // also after a crash: nobody knows the administrator of before
    Files.createDirectories(config);
    try (InputStream groups = ArcadedbProcess.class.getResourceAsStream("server-groups.json")) {
      Files.copy(groups, config.resolve("server-groups.json"));
    }
    password = secret(config, ROOT);
    Map<String, String> all = new TreeMap<>(settings);
    ports.putAll(wanted);
    listen(HTTP, wanted.containsKey(HTTP) ? bind : LOOPBACK, "server.httpIncomingHost", all);
    admin = URI.create("http://" + all.get("server.httpIncomingHost") + ":" + ports.get(HTTP));
    if (wanted.containsKey(BOLT)) {
      listen(BOLT, bind, "bolt.host", all);
      all.put("server.plugins", "Bolt:com.arcadedb.bolt.BoltProtocolPlugin");
    }
    all.put("server.rootPath", this.work.toString());
    all.put("server.databaseDirectory", databases.toAbsolutePath().toString());
    all.put("server.rootPasswordPath", config.resolve(ROOT).toString());
    process = started(heapMib, all);
    try {
      awaitReady();
    } catch (IOException | InterruptedException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** A password, kept in a file that only this user can read. */
  private static String secret(Path folder, String user) throws IOException {
    Path file = folder.resolve(user);
    if (!Files.exists(file)) {
      byte[] random = new byte[16];
      new SecureRandom().nextBytes(random);
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(file, HexFormat.of().formatHex(random));
    }
    return Files.readString(file);
  }

  /**
   * Sets host and port of a protocol; of ports that somebody has the server itself says nothing.
   */
  private void listen(String protocol, String host, String setting, Map<String, String> settings)
      throws IOException {
    int wanted = ports.getOrDefault(protocol, 0);
    try (ServerSocket socket = new ServerSocket(wanted, 1, InetAddress.getByName(host))) {
      ports.put(protocol, socket.getLocalPort());
    }
    settings.put(setting, host);
    String port = setting.replace("Host", "Port").replace("host", "port");
    settings.put(port, Integer.toString(ports.get(protocol)));
  }

  private Process started(int heapMib, Map<String, String> settings) throws IOException {
    Path programs = Programs.folder();
    List<String> command = new ArrayList<>();
    command.add(programs.resolve("jre/bin/java").toString());
    command.addAll(List.of("-Xmx" + heapMib + "m", "--add-modules", "jdk.incubator.vector"));
    settings.forEach((name, value) -> command.add("-Darcadedb." + name + "=" + value));
    command.addAll(List.of("-cp", programs.resolve("jars") + "/*"));
    command.add("com.arcadedb.server.ArcadeDBServer");
    return new ProcessBuilder(command)
        .directory(work.toFile())
        .redirectErrorStream(true)
        .redirectOutput(work.resolve("server.log").toFile())
        .start();
  }

  private void awaitReady() throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_SECONDS);
    HttpRequest ready = request("/api/v1/ready").timeout(Duration.ofSeconds(2)).GET().build();
    while (System.nanoTime() < end) {
      if (!process.isAlive()) {
        String said = Files.readString(work.resolve("server.log"));
        throw new IOException("ArcadeDB ended: " + said.strip().replaceAll(".*\\n", ""));
      }
      try {
        if (client.send(ready, BodyHandlers.discarding()).statusCode() == 204) {
          return;
        }
      } catch (IOException e) {
        // it does not listen yet
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
    throw new IOException("ArcadeDB did not answer within " + READY_SECONDS + " s");
  }

  private HttpRequest.Builder request(String path) {
    String login =
        Base64.getEncoder()
            .encodeToString((ROOT + ":" + password).getBytes(StandardCharsets.UTF_8));
    return HttpRequest.newBuilder(admin.resolve(path)).header("Authorization", "Basic " + login);
  }

  /**
   * Does something as the administrator.
   *
   * @throws IOException where it is refused, or the server does not answer
   */
  void post(String path, BodyPublisher body) throws IOException, InterruptedException {
    HttpResponse<String> answer =
        client.send(request(path).POST(body).build(), BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw new IOException("ArcadeDB refuses " + path + ": " + answer.body().strip());
    }
  }

  /** One command to the server, or in SQL to the database. */
  void post(String path, Map<String, Object> body) throws IOException, InterruptedException {
    post(path, BodyPublishers.ofString(json(body)));
  }

  private static String json(Object value) {
    try {
      return JSON.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /**
   * Makes the clients' user, who has the same password after a crash; the addresses of {@code
   * protocols}.
   */
  Map<String, String> forReaders(Iterable<String> protocols)
      throws IOException, InterruptedException {
    String secret = secret(work, READER);
    Map<String, Object> user =
        Map.of("name", READER, "password", secret, "databases", Map.of(DATABASE, List.of(READER)));
    post("/api/v1/server", Map.of("command", "create user " + json(user)));
    Map<String, String> endpoints = new TreeMap<>();
    for (String protocol : protocols) {
      String where = bind + ":" + ports.get(protocol) + "/" + DATABASE;
      endpoints.put(protocol, protocol + "://" + READER + ":" + secret + "@" + where);
    }
    return endpoints;
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
  }
}
