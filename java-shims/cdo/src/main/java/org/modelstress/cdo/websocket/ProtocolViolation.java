package org.modelstress.cdo.websocket;

/** The other end sent what makes no sense; the connection is closed with status 1002. */
final class ProtocolViolation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ProtocolViolation(String message) {
    super(message);
  }
}
