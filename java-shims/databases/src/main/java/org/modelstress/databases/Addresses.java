package org.modelstress.databases;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;

/**
 * Addresses of stores, as processes tell them to one another, and as JDBC wants them: {@code
 * postgresql://user:password@host:port/database}, the same with {@code mariadb} and {@code h2}, and
 * {@code sqlite:///path} of a file.
 */
public final class Addresses {
  private static final Set<String> SCHEMES = Set.of("postgresql", "mariadb", "h2", "sqlite");

  private Addresses() {}

  static String of(
      String scheme, String user, String password, String host, int port, String database) {
    return scheme + "://" + user + ":" + password + "@" + host + ":" + port + "/" + database;
  }

  /** The same server, another database. */
  static String inDatabase(String address, String database) {
    URI uri = URI.create(address);
    return uri.getScheme() + "://" + uri.getRawAuthority() + "/" + database;
  }

  /** The address of a database that is a file. */
  static String ofFile(String scheme, Path file) {
    return scheme + "://" + file.toUri().getRawPath();
  }

  /** Whether an address is of a store. */
  public static boolean isStore(String address) {
    return SCHEMES.contains(scheme(address));
  }

  /** The kind of database of an address, such as {@code postgresql}. */
  public static String scheme(String address) {
    return address.substring(0, Math.max(0, address.indexOf(':')));
  }

  /**
   * The URL for JDBC.
   *
   * @throws IllegalArgumentException where it is no store's address
   */
  public static String jdbc(String address) {
    try {
      URI uri = new URI(address);
      if ("sqlite".equals(uri.getScheme()) && uri.getPath() != null) {
        return "jdbc:sqlite:" + uri.getPath();
      }
      String[] who = uri.getUserInfo() == null ? new String[0] : uri.getUserInfo().split(":", 2);
      if (who.length == 2 && uri.getHost() != null && uri.getPort() > 0) {
        String where = uri.getHost() + ":" + uri.getPort();
        switch (String.valueOf(uri.getScheme())) {
          case "postgresql" -> {
            return "jdbc:postgresql://" + where + uri.getPath() + "?" + login(who);
          }
          case "mariadb" -> {
            return "jdbc:mariadb://" + where + uri.getPath() + "?" + plainLogin(who);
          }
          case "h2" -> {
            String login = ";USER=" + who[0] + ";PASSWORD=" + who[1];
            return "jdbc:h2:tcp://" + where + "/." + uri.getPath() + login;
          }
          default -> {
            // said below
          }
        }
      }
    } catch (URISyntaxException e) {
      // said below, without the password that it may have
    }
    throw new IllegalArgumentException(
        "the address of a store is not of the form postgresql://user:password@host:port/database"
            + " (or mariadb://…, h2://…)");
  }

  private static String login(String[] who) {
    return "user="
        + URLEncoder.encode(who[0], StandardCharsets.UTF_8)
        + "&password="
        + URLEncoder.encode(who[1], StandardCharsets.UTF_8);
  }

  /** MariaDB's driver takes what stands there, whatever it is, but for one character. */
  private static String plainLogin(String[] who) {
    if (who[0].contains("&") || who[1].contains("&")) {
      throw new IllegalArgumentException("MariaDB's driver knows no user or password with '&'");
    }
    return "user=" + who[0] + "&password=" + who[1];
  }
}
