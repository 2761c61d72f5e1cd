package org.modelstress.topology.connection.nio;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.modelstress.topology.data.ObjectState;
import org.modelstress.topology.schema.ObjectType;
import org.modelstress.topology.schema.Schema;
import org.modelstress.topology.schema.ValueType;
import org.modelstress.topology.wire.Branch;
import org.modelstress.topology.wire.Predicate;
import org.modelstress.topology.wire.Reply;
import org.modelstress.topology.wire.Request;
import org.modelstress.topology.wire.Target;
import org.modelstress.topology.wire.Write;

/**
 * The compact wire format: whole numbers in seven bits per byte, values without their types where
 * the schema tells them, which both sides have. Whatever comes is bounded: a count beyond what is
 * left of the message is refused before anything is allocated.
 */
final class Codec {
  private static final int FIND = 1;
  private static final int FETCH = 2;
  private static final int COMMIT = 3;
  private static final int PREPARE = 4;
  private static final int FINISH = 5;
  private static final int IN_DOUBT = 6;
  private static final int OBJECTS = 1;
  private static final int ENDED = 2;
  private static final int DONE = 3;
  private static final int BRANCHES = 4;
  private static final int FAILED = 5;

  private final Schema schema;

  Codec(Schema schema) {
    this.schema = schema;
  }

  void write(ByteBuf out, Request request) {
    if (request instanceof Request.Find find) {
      out.writeByte(FIND);
      Bytes.text(out, find.query());
      Bytes.values(out, find.parameters());
      targets(out, find.targets());
    } else if (request instanceof Request.Fetch fetch) {
      out.writeByte(FETCH);
      Bytes.unsigned(out, fetch.type());
      Bytes.unsigned(out, fetch.oids().length);
      for (long oid : fetch.oids()) {
        out.writeLong(oid);
      }
      Bytes.signed(out, fetch.freshMillis());
      targets(out, fetch.targets());
    } else if (request instanceof Request.Commit commit) {
      out.writeByte(COMMIT);
      writes(out, commit.writes());
    } else if (request instanceof Request.Prepare prepare) {
      out.writeByte(PREPARE);
      branch(out, prepare.branch());
      writes(out, prepare.writes());
    } else if (request instanceof Request.Finish finish) {
      out.writeByte(FINISH);
      branch(out, finish.branch());
      Bytes.numbers(out, finish.stores());
      out.writeBoolean(finish.commit());
    } else if (request instanceof Request.InDoubt inDoubt) {
      out.writeByte(IN_DOUBT);
      Bytes.numbers(out, inDoubt.stores());
    }
  }

  /**
   * Reads a request.
   *
   * @throws IllegalArgumentException where it is none, or refers to what the schema does not have
   */
  Request readRequest(ByteBuf in) {
    int kind = in.readByte();
    return switch (kind) {
      case FIND -> new Request.Find(Bytes.text(in), Bytes.values(in), targets(in));
      case FETCH -> {
        int type = type(in).code();
        long[] oids = new long[Bytes.count(in, Long.BYTES)];
        for (int i = 0; i < oids.length; i++) {
          oids[i] = in.readLong();
        }
        yield new Request.Fetch(type, oids, Bytes.signed(in), targets(in));
      }
      case COMMIT -> new Request.Commit(writes(in));
      case PREPARE -> new Request.Prepare(branch(in), writes(in));
      case FINISH -> new Request.Finish(branch(in), Bytes.numbers(in), in.readBoolean());
      case IN_DOUBT -> new Request.InDoubt(Bytes.numbers(in));
      default -> throw new IllegalArgumentException("there is no request " + kind);
    };
  }

  void write(ByteBuf out, Reply reply) {
    if (reply instanceof Reply.Objects objects) {
      out.writeByte(OBJECTS);
      objects(out, objects.objects());
    } else if (reply instanceof Reply.Ended ended) {
      out.writeByte(ENDED);
      out.writeByte(ended.end().ordinal());
      Bytes.text(out, ended.message());
    } else if (reply instanceof Reply.Done) {
      out.writeByte(DONE);
    } else if (reply instanceof Reply.Branches branches) {
      out.writeByte(BRANCHES);
      Bytes.unsigned(out, branches.branches().size());
      branches.branches().forEach(branch -> branch(out, branch));
    } else if (reply instanceof Reply.Failed failed) {
      out.writeByte(FAILED);
      out.writeBoolean(failed.busy());
      Bytes.text(out, failed.message() == null ? "" : failed.message());
    }
  }

  /**
   * Reads a reply.
   *
   * @throws IllegalArgumentException where it is none, or refers to what the schema does not have
   */
  Reply readReply(ByteBuf in) {
    int kind = in.readByte();
    return switch (kind) {
      case OBJECTS -> new Reply.Objects(objects(in));
      case ENDED -> {
        Reply.End[] ends = Reply.End.values();
        int end = in.readByte();
        if (end < 0 || end >= ends.length) {
          throw new IllegalArgumentException("there is no end " + end);
        }
        yield new Reply.Ended(ends[end], Bytes.text(in));
      }
      case DONE -> new Reply.Done();
      case BRANCHES -> {
        ArrayList<Branch> branches = new ArrayList<>();
        for (int i = Bytes.count(in, 3); i > 0; i--) {
          branches.add(branch(in));
        }
        yield new Reply.Branches(branches);
      }
      case FAILED -> new Reply.Failed(in.readBoolean(), Bytes.text(in));
      default -> throw new IllegalArgumentException("there is no reply " + kind);
    };
  }

  /** Objects of one type and store after another: what neighbours have in common is said once. */
  private void objects(ByteBuf out, List<ObjectState> objects) {
    Bytes.unsigned(out, objects.size());
    ObjectType type = null;
    int store = 0;
    for (ObjectState object : objects) {
      boolean same = type != null && object.type() == type.code() && object.store() == store;
      out.writeBoolean(!same);
      if (!same) {
        type = schema.type(object.type());
        store = object.store();
        Bytes.unsigned(out, type.code());
        Bytes.unsigned(out, store);
      }
      out.writeLong(object.oid());
      Bytes.unsigned(out, object.version());
      for (int place = 0; place < object.values().length; place++) {
        Bytes.value(out, type.attribute(place).type(), object.value(place));
      }
    }
  }

  private ArrayList<ObjectState> objects(ByteBuf in) {
    int count = Bytes.count(in, Long.BYTES);
    ArrayList<ObjectState> objects = new ArrayList<>(count);
    ObjectType type = null;
    int store = 0;
    for (int i = 0; i < count; i++) {
      if (in.readBoolean()) {
        type = type(in);
        store = (int) Bytes.unsigned(in);
      } else if (type == null) {
        throw new IllegalArgumentException("the first object has no type");
      }
      long oid = in.readLong();
      int version = (int) Bytes.unsigned(in);
      Object[] values = new Object[type.attributes().size()];
      for (int place = 0; place < values.length; place++) {
        values[place] = Bytes.value(in, type.attribute(place).type());
      }
      objects.add(new ObjectState(type.code(), oid, version, store, values));
    }
    return objects;
  }

  private void writes(ByteBuf out, List<Write> writes) {
    Bytes.unsigned(out, writes.size());
    for (Write write : writes) {
      ObjectType type = schema.type(write.type());
      out.writeByte(write.kind().ordinal());
      Bytes.unsigned(out, write.type());
      out.writeLong(write.oid());
      Bytes.unsigned(out, write.domain());
      Bytes.numbers(out, write.stores());
      Bytes.unsigned(out, write.changed());
      Bytes.unsigned(out, write.added());
      for (int place = 0; place < write.values().length; place++) {
        if (((write.changed() | write.added()) & 1L << place) != 0) {
          Bytes.value(out, type.attribute(place).type(), write.values()[place]);
        }
      }
      Bytes.signed(out, write.version());
      Bytes.unsigned(out, write.predicates().size());
      for (Predicate predicate : write.predicates()) {
        Bytes.text(out, predicate.condition());
        Bytes.values(out, predicate.parameters());
      }
    }
  }

  private ArrayList<Write> writes(ByteBuf in) {
    int count = Bytes.count(in, Long.BYTES);
    ArrayList<Write> writes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      writes.add(write(in));
    }
    return writes;
  }

  private Write write(ByteBuf in) {
    Write.Kind[] kinds = Write.Kind.values();
    int kind = in.readByte();
    if (kind < 0 || kind >= kinds.length) {
      throw new IllegalArgumentException("there is no write " + kind);
    }
    ObjectType type = type(in);
    long oid = in.readLong();
    int domain = (int) Bytes.unsigned(in);
    int[] stores = Bytes.numbers(in);
    long changed = Bytes.unsigned(in);
    long added = Bytes.unsigned(in);
    Object[] values = new Object[type.attributes().size()];
    if (((changed | added) & ~type.places()) != 0) {
      throw new IllegalArgumentException(type + " has no such attribute");
    }
    for (int place = 0; place < values.length; place++) {
      if (((changed | added) & 1L << place) != 0) {
        values[place] = Bytes.value(in, type.attribute(place).type());
      }
    }
    int version = (int) Bytes.signed(in);
    ArrayList<Predicate> predicates = new ArrayList<>();
    for (int left = Bytes.count(in, 2); left > 0; left--) {
      predicates.add(new Predicate(Bytes.text(in), Bytes.values(in)));
    }
    return new Write(
        kinds[kind], type.code(), oid, domain, stores, values, changed, added, version, predicates);
  }

  private ObjectType type(ByteBuf in) {
    return schema.type((int) Bytes.unsigned(in));
  }

  private static void targets(ByteBuf out, List<Target> targets) {
    Bytes.unsigned(out, targets.size());
    for (Target target : targets) {
      Bytes.unsigned(out, target.domain());
      Bytes.unsigned(out, target.store());
    }
  }

  private static ArrayList<Target> targets(ByteBuf in) {
    int count = Bytes.count(in, 2);
    ArrayList<Target> targets = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      targets.add(new Target((int) Bytes.unsigned(in), (int) Bytes.unsigned(in)));
    }
    return targets;
  }

  private static void branch(ByteBuf out, Branch branch) {
    out.writeInt(branch.format());
    Bytes.bytes(out, branch.global());
    Bytes.bytes(out, branch.qualifier());
  }

  private static Branch branch(ByteBuf in) {
    return new Branch(in.readInt(), Bytes.bytes(in), Bytes.bytes(in));
  }

  /** The type of a value that comes without a schema. */
  static ValueType typeOf(Object value) {
    for (ValueType type : ValueType.values()) {
      if (type.javaClass().isInstance(value)) {
        return type;
      }
    }
    throw new IllegalArgumentException(value + " is no value");
  }
}
