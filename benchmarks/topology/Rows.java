import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import org.modelstress.databases.Addresses;

/**
 * First columns of a query to a store, a line each, for {@code storm.py}.
 *
 * <pre>java -cp topology.jar Rows.java ADDRESS SQL</pre>
 */
public final class Rows {
  private Rows() {}

  public static void main(String[] args) throws Exception {
    try (Connection connection = DriverManager.getConnection(Addresses.jdbc(args[0]));
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(args[1])) {
      while (rows.next()) {
        System.out.println(rows.getString(1));
      }
    }
  }
}
