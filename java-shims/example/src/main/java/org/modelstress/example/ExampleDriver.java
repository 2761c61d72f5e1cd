package org.modelstress.example;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.BasicHttpClientConnectionManager;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.ParseException;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.entity.StringEntity;
import org.apache.hc.core5.util.Timeout;
import org.modelstress.harness.spi.Driver;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Endpoints;
import org.modelstress.harness.spi.Ids;
import org.modelstress.harness.spi.Operation;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.harness.spi.SessionContext;

/** The client side: one HTTP connection per session, one request per operation. */
public final class ExampleDriver implements Driver {
  @Override
  public String name() {
    return "example";
  }

  @Override
  public Session open(Endpoints endpoints, SessionContext who) {
    long millis = who.options().timeoutMillis();
    return new HttpSession(endpoints.first(), Timeout.ofMilliseconds(millis));
  }

  @Override
  public void close() {
    // sessions share nothing
  }

  private static final class HttpSession implements Session {
    private final String address;
    private final CloseableHttpClient client;

    /** Connects with the first request. */
    HttpSession(Endpoint endpoint, Timeout timeout) {
      address = endpoint.uri() + "/query?tuple=";
      BasicHttpClientConnectionManager connection = new BasicHttpClientConnectionManager();
      connection.setConnectionConfig(ConnectionConfig.custom().setConnectTimeout(timeout).build());
      client =
          HttpClients.custom()
              .setConnectionManager(connection)
              .setDefaultRequestConfig(RequestConfig.custom().setResponseTimeout(timeout).build())
              .disableAutomaticRetries() // a second try would hide a failure and count as latency
              .disableContentCompression()
              .build();
    }

    @Override
    public Outcome execute(Operation operation) {
      List<?> tuple = (List<?>) operation.parameters().get("tuple");
      HttpPost request =
          new HttpPost(
              address + tuple.stream().map(String::valueOf).collect(Collectors.joining(",")));
      request.setEntity(
          new StringEntity(
              operation.text(), ContentType.create(OwnRequests.TYPE, StandardCharsets.UTF_8)));
      try {
        return client.execute(request, HttpSession::outcome);
      } catch (InterruptedIOException e) { // what all time-outs of connect and read have in common
        return Outcome.failed(Outcome.Kind.TIMEOUT, "no answer in time: " + e.getMessage());
      } catch (IOException e) {
        return Outcome.failed(Outcome.Kind.ERROR, "no answer: " + e);
      }
    }

    private static Outcome outcome(ClassicHttpResponse response)
        throws IOException, ParseException {
      String body =
          response.getEntity() == null
              ? ""
              : EntityUtils.toString(response.getEntity(), StandardCharsets.UTF_8);
      return switch (response.getCode()) {
        case 200 -> {
          long[] ids = body.lines().mapToLong(Long::parseLong).toArray();
          yield Outcome.ok(new Ids.Longs(ids, ids.length));
        }
        case 503 -> Outcome.failed(Outcome.Kind.REJECTED, body);
        default -> Outcome.failed(Outcome.Kind.ERROR, body);
      };
    }

    @Override
    public void close() {
      try {
        client.close();
      } catch (IOException e) {
        // the answer has been read; how the connection ends does not change it
      }
    }
  }
}
