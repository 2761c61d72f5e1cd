package org.modelstress.cdo.websocket;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.api.StatusCode;
import org.eclipse.jetty.websocket.api.WebSocketPartialListener;
import org.eclipse.net4j.buffer.IBuffer;

/**
 * Turns what Jetty reads into operations of a connector. Jetty's parts of messages are put straight
 * into Net4j's buffers; a message that does not fit in one is refused, as Net4j's TCP does.
 */
public final class WebSocketEvents implements WebSocketPartialListener {
  private final WebSocketConnector connector;
  private Session session;
  private IBuffer input;
  private boolean refused;

  WebSocketEvents(WebSocketConnector connector) {
    this.connector = connector;
  }

  @Override
  public void onWebSocketConnect(Session made) {
    session = made;
    connector.connected(made);
  }

  @Override
  public void onWebSocketPartialBinary(ByteBuffer part, boolean last) {
    if (refused) {
      return;
    }
    if (input == null) {
      input = connector.provideBuffer();
      input.getByteBuffer().clear();
    }
    ByteBuffer bytes = input.getByteBuffer();
    if (part.remaining() > bytes.remaining()) {
      refuse(StatusCode.MESSAGE_TOO_LARGE, "more than " + bytes.capacity() + " bytes");
      return;
    }
    bytes.put(part);
    if (last) {
      IBuffer whole = input;
      input = null;
      take(whole, bytes);
    }
  }

  private void take(IBuffer buffer, ByteBuffer bytes) {
    int end = bytes.position();
    if (end < IBuffer.HEADER_SIZE) {
      buffer.release();
      refuse(StatusCode.PROTOCOL, "a message without header");
      return;
    }
    buffer.startPutting(bytes.getShort(Operation.CHANNEL_AT));
    buffer.setEOS((bytes.get(Operation.FLAGS_AT) & Operation.END_OF_STREAM) != 0);
    bytes.position(end);
    buffer.flip();
    try {
      connector.receive(bytes.get(Operation.AT), buffer);
    } catch (RuntimeException e) { // whatever the other end sent, it is not understood
      refuse(StatusCode.PROTOCOL, e.getMessage());
    }
  }

  @Override
  public void onWebSocketPartialText(String part, boolean last) {
    refuse(StatusCode.BAD_DATA, "text is not understood here");
  }

  private void refuse(int status, String reason) {
    if (!refused) {
      refused = true;
      WebSocketConnector.close(session, status, reason);
    }
  }

  @Override
  public void onWebSocketClose(int status, String reason) {
    String why = reason == null || reason.isEmpty() ? "" : ": " + reason;
    connector.ended(new IOException("WebSocket closed with status " + status + why));
  }

  @Override
  public void onWebSocketError(Throwable cause) {
    connector.ended(cause);
  }
}
