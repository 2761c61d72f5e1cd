package org.modelstress.thrift.client;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.zip.GZIPInputStream;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpStatus;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.impl.io.DefaultBHttpClientConnection;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.message.BasicClassicHttpRequest;
import org.apache.hc.core5.io.CloseMode;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.transport.AutoExpandingBufferWriteTransport;
import org.apache.thrift.transport.TEndpointTransport;
import org.apache.thrift.transport.TMemoryInputTransport;
import org.apache.thrift.transport.TTransportException;

/** Thrift over HTTP: a message is the body of a POST request. Counts headers too. */
final class HttpConnection implements Connection {
  private static final ContentType THRIFT = ContentType.create("application/x-thrift");

  private final DefaultBHttpClientConnection http;
  private final Target target;
  private final boolean gzip;
  private final TProtocol protocol;

  HttpConnection(SocketChannel channel, Target target, boolean gzip, ThriftDriver driver)
      throws IOException, TTransportException {
    this.target = target;
    this.gzip = gzip;
    http = new DefaultBHttpClientConnection(Http1Config.DEFAULT);
    http.bind(channel.socket());
    protocol = target.protocol().over(new Messages(driver));
  }

  @Override
  public TProtocol protocol() {
    return protocol;
  }

  @Override
  public long sent() {
    return http.getEndpointDetails().getSentBytesCount();
  }

  @Override
  public long received() {
    return http.getEndpointDetails().getReceivedBytesCount();
  }

  @Override
  public void close() {
    http.close(CloseMode.IMMEDIATE);
  }

  private byte[] post(byte[] buffer, int length)
      throws IOException, HttpException, RefusedException {
    ClassicHttpRequest request = new BasicClassicHttpRequest("POST", target.path());
    request.setHeader(HttpHeaders.HOST, target.host());
    request.setHeader(HttpHeaders.CONTENT_TYPE, THRIFT.toString());
    request.setHeader(HttpHeaders.CONTENT_LENGTH, length);
    if (gzip) {
      request.setHeader(HttpHeaders.ACCEPT_ENCODING, "gzip");
    }
    request.setEntity(new ByteArrayEntity(buffer, 0, length, THRIFT));
    http.sendRequestHeader(request);
    http.sendRequestEntity(request);
    http.flush();
    ClassicHttpResponse response = http.receiveResponseHeader();
    http.receiveResponseEntity(response);
    byte[] body = body(response);
    if (response.getCode() != HttpStatus.SC_OK) {
      String text = new String(body, java.nio.charset.StandardCharsets.UTF_8).strip();
      throw new RefusedException(response.getCode(), text);
    }
    return body;
  }

  private static byte[] body(ClassicHttpResponse response) throws IOException {
    if (response.getEntity() == null) {
      return new byte[0];
    }
    Header encoding = response.getFirstHeader(HttpHeaders.CONTENT_ENCODING);
    if (encoding == null) {
      return EntityUtils.toByteArray(response.getEntity());
    }
    try (var in = new GZIPInputStream(response.getEntity().getContent())) {
      return in.readAllBytes();
    }
  }

  /** The server answered, but not with a Thrift message. */
  static final class RefusedException extends TTransportException {
    private static final long serialVersionUID = 1L;
    private final int status;

    RefusedException(int status, String text) {
      super("HTTP status " + status + (text.isEmpty() ? "" : ": " + text));
      this.status = status;
    }

    int status() {
      return status;
    }
  }

  /** A written message is sent by {@link #flush}, which waits for the answer. */
  private final class Messages extends TEndpointTransport {
    private static final int BUFFER = 1024;
    private final AutoExpandingBufferWriteTransport out;
    private final TMemoryInputTransport in;

    Messages(ThriftDriver driver) throws TTransportException {
      super(driver.limits());
      out = new AutoExpandingBufferWriteTransport(driver.limits(), BUFFER, 0);
      in = new TMemoryInputTransport(driver.limits());
    }

    @Override
    public boolean isOpen() {
      return http.isOpen();
    }

    @Override
    public void open() {
      // it is open from the beginning
    }

    @Override
    public void close() {
      HttpConnection.this.close();
    }

    @Override
    public int read(byte[] into, int offset, int length) throws TTransportException {
      return in.read(into, offset, length);
    }

    @Override
    public void write(byte[] from, int offset, int length) throws TTransportException {
      out.write(from, offset, length);
    }

    @Override
    public void flush() throws TTransportException {
      try {
        byte[] answer = post(out.getBuf().array(), out.getLength());
        in.reset(answer);
        // first back to the limit: a new size must not be above the one before
        resetConsumedMessageSize(-1);
        resetConsumedMessageSize(answer.length);
      } catch (IOException | HttpException e) {
        throw new TTransportException("the connection was lost", e);
      } finally {
        out.reset();
      }
    }

    @Override
    public byte[] getBuffer() {
      return in.getBuffer();
    }

    @Override
    public int getBufferPosition() {
      return in.getBufferPosition();
    }

    @Override
    public int getBytesRemainingInBuffer() {
      return in.getBytesRemainingInBuffer();
    }

    @Override
    public void consumeBuffer(int length) {
      in.consumeBuffer(length);
    }
  }
}
