package org.modelstress.topology.connection.nio;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.CodedOutputStream;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.modelstress.topology.config.TopologyFile;
import org.modelstress.topology.data.ObjectState;
import org.modelstress.topology.datasets.Dataset;
import org.modelstress.topology.schema.ObjectType;
import org.modelstress.topology.schema.Schema;
import org.modelstress.topology.schema.ValueType;
import org.modelstress.topology.wire.Reply;

/**
 * Bytes of a reply with objects of the scenarios' datasets beside those of protocol buffers with a
 * message of its own for each type, which are fewer than those of the messages in {@code
 * topology-grpc}, whose values name their types.
 */
class ReplySizeTest {
  /** gRPC puts a flag and the length before a message; HTTP/2's frames are not counted. */
  private static final int BEFORE_A_MESSAGE = 5;

  private static final double MOST = 1.05;
  private static final int STORE = 1;

  @ParameterizedTest
  @CsvSource({
    "customers-1000,1", "customers-1000,20", "customers-1000,500",
    "marketplace-1000,1", "marketplace-1000,20", "marketplace-1000,500",
    "ferry,1", "ferry,20", "ferry,500"
  })
  void hardlyLargerThanTypedMessages(String name, int objects) throws Exception {
    Schema schema = typesOfTheStudy();
    Map<String, Object> parameters =
        name.startsWith("marketplace")
            ? Map.of("accommodations", 1000, "customers", 100)
            : Map.of();
    Map<String, List<ObjectState>> byType = new LinkedHashMap<>();
    long[] next = {1L << 40};
    Dataset.of(name, parameters)
        .fill(
            (type, values) -> {
              ObjectType known = schema.type(type);
              Object[] typed = new Object[values.length];
              for (int place = 0; place < values.length; place++) {
                typed[place] = fitting(known.attribute(place).type(), values[place]);
              }
              byType
                  .computeIfAbsent(type, any -> new ArrayList<>())
                  .add(new ObjectState(known.code(), next[0], 1, STORE, typed));
              return next[0]++;
            },
            new Random(1));
    for (Map.Entry<String, List<ObjectState>> entry : byType.entrySet()) {
      List<ObjectState> some = entry.getValue();
      ArrayList<ObjectState> reply =
          new ArrayList<>(some.subList(0, Math.min(objects, some.size())));
      ByteBuf frame = Frames.begin(ByteBufAllocator.DEFAULT, 1);
      new Codec(schema).write(frame, new Reply.Objects(reply));
      int ours = Frames.end(frame).readableBytes();
      frame.release();
      int typed = BEFORE_A_MESSAGE + typedMessage(schema.type(entry.getKey()), reply);
      String said = reply.size() + " " + entry.getKey() + ": " + ours + " and " + typed + " bytes";
      System.out.println(said);
      assertTrue(ours <= MOST * typed, said);
    }
  }

  private static Schema typesOfTheStudy() throws Exception {
    StringBuilder text = new StringBuilder();
    for (String file : List.of("types", "customers-by-number", "one-store")) {
      text.append(Files.readString(Path.of("../../config/distributions", file + ".yaml")));
    }
    return TopologyFile.parse("distribution", text.toString()).schema();
  }

  private static Object fitting(ValueType type, Object value) {
    return switch (type) {
      case SHORT -> value == null ? null : ((Number) value).shortValue();
      case INT -> value == null ? null : ((Number) value).intValue();
      case LONG, REFERENCE -> value == null ? null : ((Number) value).longValue();
      case FLOAT -> value == null ? null : ((Number) value).floatValue();
      case DOUBLE -> value == null ? null : ((Number) value).doubleValue();
      default -> value;
    };
  }

  /** {@code message Reply { oneof { Customers customers = 1; … } }}, objects repeated in it. */
  private static int typedMessage(ObjectType type, List<ObjectState> objects) {
    int all = 0;
    for (ObjectState object : objects) {
      int size =
          CodedOutputStream.computeFixed64Size(1, object.oid())
              + CodedOutputStream.computeUInt32Size(2, object.version())
              + CodedOutputStream.computeUInt32Size(3, object.store());
      for (int place = 0; place < object.values().length; place++) {
        size += field(4 + place, type.attribute(place).type(), object.value(place));
      }
      all += delimited(size);
    }
    return delimited(all);
  }

  private static int delimited(int size) {
    return CodedOutputStream.computeTagSize(1)
        + CodedOutputStream.computeUInt32SizeNoTag(size)
        + size;
  }

  private static int field(int number, ValueType type, Object value) {
    if (value == null) {
      return 0;
    }
    return switch (type) {
      case STRING -> CodedOutputStream.computeStringSize(number, (String) value);
      case BOOL -> CodedOutputStream.computeBoolSize(number, (Boolean) value);
      case SHORT, INT -> CodedOutputStream.computeSInt32Size(number, ((Number) value).intValue());
      case LONG -> CodedOutputStream.computeSInt64Size(number, (Long) value);
      case REFERENCE -> CodedOutputStream.computeFixed64Size(number, (Long) value);
      case FLOAT -> CodedOutputStream.computeFloatSize(number, (Float) value);
      case DOUBLE -> CodedOutputStream.computeDoubleSize(number, (Double) value);
    };
  }
}
