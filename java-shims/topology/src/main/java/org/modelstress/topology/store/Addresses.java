package org.modelstress.topology.store;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * Addresses of stores, as processes tell them to one another, and as JDBC wants them: {@code
 * postgresql://user:password@host:port/database}, and the same with {@code h2}.
 */
public final class Addresses {
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

  /** Whether an address is of a store. */
  public static boolean isStore(String address) {
    return address.startsWith("postgresql://") || address.startsWith("h2://");
  }

  /**
   * The URL for JDBC.
   *
   * @throws IllegalArgumentException where it is no store's address
   */
  public static String jdbc(String address) {
    try {
      URI uri = new URI(address);
      String[] who = uri.getUserInfo() == null ? new String[0] : uri.getUserInfo().split(":", 2);
      if (who.length == 2 && uri.getHost() != null && uri.getPort() > 0) {
        String where = uri.getHost() + ":" + uri.getPort();
        if ("postgresql".equals(uri.getScheme())) {
          return "jdbc:postgresql://"
              + where
              + uri.getPath()
              + "?user="
              + URLEncoder.encode(who[0], StandardCharsets.UTF_8)
              + "&password="
              + URLEncoder.encode(who[1], StandardCharsets.UTF_8);
        }
        if ("h2".equals(uri.getScheme())) {
          return "jdbc:h2:tcp://"
              + where
              + "/."
              + uri.getPath()
              + ";USER="
              + who[0]
              + ";PASSWORD="
              + who[1];
        }
      }
    } catch (URISyntaxException e) {
      // said below, without the password that it may have
    }
    throw new IllegalArgumentException(
        "the address of a store is not of the form postgresql://user:password@host:port/database"
            + " (or h2://…)");
  }
}
