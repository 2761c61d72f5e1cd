package org.modelstress.cdo.websocket;

import java.nio.ByteBuffer;
import org.eclipse.net4j.buffer.IBuffer;
import org.eclipse.net4j.connector.ConnectorState;
import org.eclipse.net4j.util.security.NegotiationContext;
import org.eclipse.net4j.util.security.NegotiationException;

/** What a Net4j negotiator needs of a connection that has one. */
final class Negotiation extends NegotiationContext {
  private final WebSocketConnector connector;
  private IBuffer buffer;
  private boolean failed;

  Negotiation(WebSocketConnector connector) {
    this.connector = connector;
  }

  @Override
  public void setUserID(String userID) {
    connector.setUserID(userID);
  }

  @Override
  public ByteBuffer getBuffer() {
    buffer = connector.provideBuffer();
    return buffer.startPutting(IBuffer.MIN_CHANNEL);
  }

  @Override
  public void transmitBuffer(ByteBuffer bytes) {
    if (buffer == null || buffer.getByteBuffer() != bytes) {
      throw new IllegalArgumentException("not the buffer that was given out last");
    }
    connector.sendNegotiation(buffer);
    buffer = null;
    if (failed) { // this told the other end so
      connector.lost(new NegotiationException("the negotiation of the connection failed"));
    }
  }

  @Override
  public void setFinished(boolean success) {
    if (success) {
      connector.setState(ConnectorState.CONNECTED);
    } else {
      failed = true;
    }
    super.setFinished(success);
  }
}
