package org.modelstress.cdo.websocket;

/**
 * What a binary message is, and where its header holds that: byte 0 the operation, byte 1 flags,
 * bytes 2 and 3 the channel (signed, big-endian), then the payload. Operations other than {@link
 * #BUFFER} and {@link #NEGOTIATION} have a number (four bytes) and a text (Net4j's: two bytes of
 * length, UTF-8; length -1 is none) as payload.
 */
final class Operation {
  /** A buffer of a channel. */
  static final byte BUFFER = 1;

  /** Opens a channel; the number is the version of its protocol, the text the protocol's name. */
  static final byte OPEN = 2;

  /** A channel is open, or the text says why not. */
  static final byte OPENED = 3;

  /** A channel is closed. */
  static final byte CLOSE = 4;

  /** A step of a Net4j negotiator, such as an authentication. */
  static final byte NEGOTIATION = 5;

  /** Flag of the last buffer of a signal's stream. */
  static final byte END_OF_STREAM = 1;

  static final int AT = 0;
  static final int FLAGS_AT = 1;
  static final int CHANNEL_AT = 2;

  private Operation() {}
}
