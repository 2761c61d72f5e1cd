package org.modelstress.topology.connection.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.modelstress.topology.Topologies;
import org.modelstress.topology.data.ObjectState;
import org.modelstress.topology.schema.Attribute;
import org.modelstress.topology.schema.ObjectType;
import org.modelstress.topology.schema.Schema;
import org.modelstress.topology.schema.ValueType;
import org.modelstress.topology.wire.Branch;
import org.modelstress.topology.wire.Predicate;
import org.modelstress.topology.wire.Reply;
import org.modelstress.topology.wire.Request;
import org.modelstress.topology.wire.Target;
import org.modelstress.topology.wire.Write;

class CodecTest {
  private Schema schema;
  private Codec codec;
  private Random random;

  @BeforeEach
  void types() throws Exception {
    schema = Topologies.of(Topologies.direct("ds1", "ds1")).schema();
    codec = new Codec(schema);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void messagesAreReadAsTheyWereWritten(int seed) {
    random = new Random(seed);
    for (Request request : requests()) {
      ByteBuf written = Unpooled.buffer();
      codec.write(written, request);
      ByteBuf again = Unpooled.buffer();
      Request read = codec.readRequest(written.duplicate());
      codec.write(again, read);
      assertEquals(written, again, request.toString());
      assertEquals(request.getClass(), read.getClass());
      cutOff(written, part -> codec.readRequest(part));
    }
    for (Reply reply : replies()) {
      ByteBuf written = Unpooled.buffer();
      codec.write(written, reply);
      ByteBuf again = Unpooled.buffer();
      codec.write(again, codec.readReply(written.duplicate()));
      assertEquals(written, again, reply.toString());
      cutOff(written, part -> codec.readReply(part));
    }
  }

  private interface Reading {
    Object read(ByteBuf part);
  }

  /** A message that ends too early is never taken for a whole one, nor for a huge one. */
  private static void cutOff(ByteBuf written, Reading reading) {
    for (int length = 0; length < written.readableBytes(); length++) {
      ByteBuf part = written.slice(0, length);
      RuntimeException e = assertThrows(RuntimeException.class, () -> reading.read(part));
      assertTrue(
          e instanceof IllegalArgumentException || e instanceof IndexOutOfBoundsException,
          e.toString());
    }
  }

  @Test
  void valuesAreThoseThatWereSent() {
    random = new Random(5);
    ObjectType landlord = schema.type("Landlord");
    Object[] values = {null, "at the very end"};
    ByteBuf out = Unpooled.buffer();
    codec.write(
        out,
        new Reply.Objects(
            new ArrayList<>(List.of(new ObjectState(landlord.code(), 7, 3, 2, values)))));
    Reply.Objects read = (Reply.Objects) codec.readReply(out);
    assertFalse(out.isReadable());
    ObjectState object = read.objects().get(0);
    assertEquals("at the very end", object.value(1));
    assertEquals(null, object.value(0));
    assertEquals(3, object.version());
    assertEquals(2, object.store());
    assertNotNull(object.toString());
  }

  private List<Request> requests() {
    return List.of(
        new Request.Find("SELECT FROM Customer", values(), targets()),
        new Request.Fetch(
            103, random.longs(random.nextInt(5)).toArray(), random.nextLong(), targets()),
        new Request.Commit(writes()),
        new Request.Prepare(branch(), writes()),
        new Request.Finish(branch(), new int[] {1, 63}, random.nextBoolean()),
        new Request.InDoubt(new int[] {random.nextInt(64)}));
  }

  private List<Reply> replies() {
    return List.of(
        new Reply.Objects(objects()),
        new Reply.Ended(Reply.End.PREDICATE, "é"),
        new Reply.Done(),
        new Reply.Branches(new ArrayList<>(List.of(branch(), branch()))),
        new Reply.Failed(random.nextBoolean(), "why"));
  }

  private ArrayList<ObjectState> objects() {
    ArrayList<ObjectState> objects = new ArrayList<>();
    List<ObjectType> types = List.copyOf(schema.types());
    for (int i = random.nextInt(5); i >= 0; i--) {
      ObjectType type = types.get(random.nextInt(types.size()));
      objects.add(
          new ObjectState(
              type.code(), random.nextLong(), random.nextInt(1000), random.nextInt(64), of(type)));
    }
    return objects;
  }

  private ArrayList<Write> writes() {
    ArrayList<Write> writes = new ArrayList<>();
    for (ObjectType type : schema.types()) {
      long all = (1L << type.attributes().size()) - 1;
      long changed = random.nextLong() & all;
      writes.add(
          new Write(
              Write.Kind.values()[random.nextInt(3)],
              type.code(),
              random.nextLong(),
              1,
              new int[] {1, 2},
              of(type),
              changed,
              all & ~changed,
              random.nextBoolean() ? Write.ANY_VERSION : random.nextInt(),
              new ArrayList<>(List.of(Predicate.of("balance >= ?", random.nextLong())))));
    }
    return writes;
  }

  private Object[] of(ObjectType type) {
    return type.attributes().stream().map(Attribute::type).map(this::value).toArray();
  }

  private Object value(ValueType type) {
    if (random.nextInt(4) == 0) {
      return null;
    }
    return switch (type) {
      case STRING -> random.nextBoolean() ? "" : "x".repeat(random.nextInt(300));
      case BOOL -> random.nextBoolean();
      case SHORT -> (short) random.nextInt();
      case INT -> random.nextInt();
      case LONG, REFERENCE -> random.nextLong();
      case FLOAT -> random.nextFloat();
      case DOUBLE -> random.nextDouble();
    };
  }

  private ArrayList<Object> values() {
    ArrayList<Object> values = new ArrayList<>();
    for (ValueType type : ValueType.values()) {
      values.add(value(type));
    }
    return values;
  }

  private ArrayList<Target> targets() {
    return new ArrayList<>(List.of(new Target(1, random.nextInt(64))));
  }

  private Branch branch() {
    byte[] global = new byte[random.nextInt(65)];
    random.nextBytes(global);
    return new Branch(random.nextInt(), global, new byte[] {1});
  }
}
