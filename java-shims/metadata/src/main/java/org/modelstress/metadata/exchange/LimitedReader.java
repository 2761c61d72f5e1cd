package org.modelstress.metadata.exchange;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import javax.xml.stream.util.StreamReaderDelegate;
import org.modelstress.metadata.objects.Limits;
import org.modelstress.metadata.objects.MetadataException;

/**
 * Reads XML whose single parts are not larger than they may be: without external entities and
 * definitions of documents, with limits for tags and texts.
 */
final class LimitedReader extends StreamReaderDelegate {
  private static final int PART_BYTES = 1 << 20;

  private final Counting in;

  private LimitedReader(Counting in, XMLStreamReader reader) {
    super(reader);
    this.in = in;
  }

  /** Counts bytes since the last part ended. */
  private static final class Counting extends FilterInputStream {
    private int read;

    Counting(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      int one = super.read();
      count(one < 0 ? 0 : 1);
      return one;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      return count(super.read(bytes, from, length));
    }

    private int count(int more) throws IOException {
      read += Math.max(0, more);
      if (read > PART_BYTES) {
        throw new IOException("a tag or comment is longer than " + PART_BYTES + " bytes");
      }
      return more;
    }
  }

  static LimitedReader of(InputStream stream) throws XMLStreamException {
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    factory.setXMLResolver((id, system, base, space) -> InputStream.nullInputStream());
    Counting in = new Counting(stream);
    return new LimitedReader(in, factory.createXMLStreamReader(in));
  }

  @Override
  public int next() throws XMLStreamException {
    in.read = 0;
    return super.next();
  }

  @Override
  public int nextTag() throws XMLStreamException {
    int event = next();
    while (isNothing(event)) {
      event = next();
    }
    if (event != XMLStreamConstants.START_ELEMENT && event != XMLStreamConstants.END_ELEMENT) {
      throw new XMLStreamException("there is text between elements", getLocation());
    }
    return event;
  }

  private boolean isNothing(int event) {
    return event == XMLStreamConstants.COMMENT
        || event == XMLStreamConstants.PROCESSING_INSTRUCTION
        || event == XMLStreamConstants.SPACE
        || (event == XMLStreamConstants.CHARACTERS || event == XMLStreamConstants.CDATA)
            && isWhiteSpace();
  }

  /**
   * Text of the current element, which has no others.
   *
   * @throws MetadataException INVALID where it is longer than any attribute may be
   */
  String text() throws XMLStreamException, MetadataException {
    StringBuilder text = new StringBuilder();
    while (next() != XMLStreamConstants.END_ELEMENT) {
      switch (getEventType()) {
        case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA, XMLStreamConstants.SPACE ->
            text.append(getText());
        case XMLStreamConstants.COMMENT, XMLStreamConstants.PROCESSING_INSTRUCTION -> {
          // no part of the text
        }
        default ->
            throw MetadataException.invalid(
                "element '" + Limits.shortened(getLocalName()) + "' cannot be within a value");
      }
      if (text.length() > Limits.TEXT) {
        throw MetadataException.invalid("a value has more than " + Limits.TEXT + " characters");
      }
    }
    return text.toString();
  }
}
