package org.modelstress.databases;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.h2.engine.Constants;
import org.h2.tools.Server;

/** H2 in this process, reached over TCP. */
final class H2 implements Database {
  private static final String USER = "SA";

  private record Running(Server server, String address) implements DatabaseServer {
    @Override
    public void close() {
      server.stop();
    }
  }

  @Override
  public String name() {
    return "h2";
  }

  @Override
  public String version() {
    return Constants.VERSION;
  }

  @Override
  public void prepare(Path folder, Path packed) {
    // it is a part of this program
  }

  @Override
  public void create(Path data, String name) throws DatabaseException {
    try {
      Files.createDirectories(data);
    } catch (IOException e) {
      throw new DatabaseException("cannot write to " + data + ": " + e, e);
    }
    String url = "jdbc:h2:file:" + data.resolve(name) + ";USER=" + USER;
    try (Connection connection =
        DriverManager.getConnection(url + ";PASSWORD=" + Password.create(data))) {
      connection.isValid(1);
    } catch (SQLException e) {
      throw new DatabaseException("H2 cannot make a database: " + e.getMessage(), e);
    }
  }

  @Override
  public DatabaseServer start(Path data, String bind, int port, String name)
      throws DatabaseException {
    try {
      System.setProperty("h2.bindAddress", InetAddress.getByName(bind).getHostAddress());
      // nothing outside of the folder can be opened, and nothing new be made in it
      String[] options = {
        "-tcpPort", Integer.toString(port), "-tcpAllowOthers", "-baseDir", data.toString()
      };
      Server server = Server.createTcpServer(options).start();
      return new Running(
          server, Addresses.of("h2", USER, Password.read(data), bind, server.getPort(), name));
    } catch (SQLException e) {
      if (e.getCause() instanceof BindException) {
        throw new DatabaseException(
            DatabaseException.Reason.PORT_IS_BUSY, "H2 cannot listen: the port is in use", e);
      }
      throw new DatabaseException("H2 cannot be started: " + e.getMessage(), e);
    } catch (UnknownHostException e) {
      throw new DatabaseException("H2 cannot listen on " + bind + ": " + e.getMessage(), e);
    }
  }
}
