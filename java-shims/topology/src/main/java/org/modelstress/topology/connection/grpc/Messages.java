package org.modelstress.topology.connection.grpc;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import org.modelstress.topology.data.ObjectState;
import org.modelstress.topology.grpc.BranchMessage;
import org.modelstress.topology.grpc.BranchesMessage;
import org.modelstress.topology.grpc.EndedMessage;
import org.modelstress.topology.grpc.FailedMessage;
import org.modelstress.topology.grpc.ObjectMessage;
import org.modelstress.topology.grpc.ObjectsMessage;
import org.modelstress.topology.grpc.PredicateMessage;
import org.modelstress.topology.grpc.ReplyMessage;
import org.modelstress.topology.grpc.TargetMessage;
import org.modelstress.topology.grpc.ValueMessage;
import org.modelstress.topology.grpc.WriteMessage;
import org.modelstress.topology.schema.ObjectType;
import org.modelstress.topology.schema.Schema;
import org.modelstress.topology.wire.Branch;
import org.modelstress.topology.wire.Predicate;
import org.modelstress.topology.wire.Reply;
import org.modelstress.topology.wire.Target;
import org.modelstress.topology.wire.Write;

/**
 * Messages of protocol buffers as the records of {@code wire}, and back.
 *
 * <p>What reads throws IllegalArgumentException where a message refers to what the schema has not.
 */
final class Messages {
  private final Schema schema;

  Messages(Schema schema) {
    this.schema = schema;
  }

  static ValueMessage value(Object value) {
    ValueMessage.Builder message = ValueMessage.newBuilder();
    if (value instanceof String text) {
      message.setText(text);
    } else if (value instanceof Boolean truth) {
      message.setTruth(truth);
    } else if (value instanceof Short number) {
      message.setShortNumber(number);
    } else if (value instanceof Integer number) {
      message.setIntNumber(number);
    } else if (value instanceof Long number) {
      message.setLongNumber(number);
    } else if (value instanceof Float number) {
      message.setFloatNumber(number);
    } else if (value instanceof Double number) {
      message.setDoubleNumber(number);
    } else if (value != null) {
      throw new IllegalArgumentException(value + " is no value");
    }
    return message.build();
  }

  static Object value(ValueMessage message) {
    return switch (message.getValueCase()) {
      case TEXT -> message.getText();
      case TRUTH -> message.getTruth();
      case SHORT_NUMBER -> small(message.getShortNumber());
      case INT_NUMBER -> message.getIntNumber();
      case LONG_NUMBER -> message.getLongNumber();
      case FLOAT_NUMBER -> message.getFloatNumber();
      case DOUBLE_NUMBER -> message.getDoubleNumber();
      case VALUE_NOT_SET -> null;
    };
  }

  private static Short small(int number) {
    if (number != (short) number) {
      throw new IllegalArgumentException(number + " is no short");
    }
    return (short) number;
  }

  static List<ValueMessage> values(List<?> values) {
    List<ValueMessage> messages = new ArrayList<>(values.size());
    values.forEach(value -> messages.add(value(value)));
    return messages;
  }

  static ArrayList<Object> plain(List<ValueMessage> messages) {
    ArrayList<Object> values = new ArrayList<>(messages.size());
    messages.forEach(message -> values.add(value(message)));
    return values;
  }

  static List<TargetMessage> targetMessages(List<Target> targets) {
    List<TargetMessage> messages = new ArrayList<>(targets.size());
    for (Target target : targets) {
      messages.add(
          TargetMessage.newBuilder().setDomain(target.domain()).setStore(target.store()).build());
    }
    return messages;
  }

  static ArrayList<Target> targets(List<TargetMessage> messages) {
    ArrayList<Target> targets = new ArrayList<>(messages.size());
    messages.forEach(each -> targets.add(new Target(each.getDomain(), each.getStore())));
    return targets;
  }

  static BranchMessage branch(Branch branch) {
    return BranchMessage.newBuilder()
        .setFormat(branch.format())
        .setGlobal(ByteString.copyFrom(branch.global()))
        .setQualifier(ByteString.copyFrom(branch.qualifier()))
        .build();
  }

  static Branch branch(BranchMessage message) {
    return new Branch(
        message.getFormat(),
        message.getGlobal().toByteArray(),
        message.getQualifier().toByteArray());
  }

  static int[] numbers(List<Integer> list) {
    return list.stream().mapToInt(Integer::intValue).toArray();
  }

  static List<Integer> list(int[] numbers) {
    List<Integer> list = new ArrayList<>(numbers.length);
    for (int number : numbers) {
      list.add(number);
    }
    return list;
  }

  List<WriteMessage> writeMessages(List<Write> writes) {
    List<WriteMessage> messages = new ArrayList<>(writes.size());
    for (Write write : writes) {
      WriteMessage.Builder message =
          WriteMessage.newBuilder()
              .setKind(write.kind().ordinal())
              .setType(write.type())
              .setOid(write.oid())
              .setDomain(write.domain())
              .addAllStores(list(write.stores()))
              .setChanged(write.changed())
              .setAdded(write.added())
              .setVersion(write.version());
      for (int place = 0; place < write.values().length; place++) {
        if (((write.changed() | write.added()) & 1L << place) != 0) {
          message.addValues(value(write.values()[place]));
        }
      }
      for (Predicate predicate : write.predicates()) {
        message.addPredicates(
            PredicateMessage.newBuilder()
                .setCondition(predicate.condition())
                .addAllParameters(values(predicate.parameters())));
      }
      messages.add(message.build());
    }
    return messages;
  }

  ArrayList<Write> writes(List<WriteMessage> messages) {
    ArrayList<Write> writes = new ArrayList<>(messages.size());
    messages.forEach(message -> writes.add(write(message)));
    return writes;
  }

  private Write write(WriteMessage message) {
    Write.Kind[] kinds = Write.Kind.values();
    if (message.getKind() < 0 || message.getKind() >= kinds.length) {
      throw new IllegalArgumentException("there is no write " + message.getKind());
    }
    ObjectType type = schema.type(message.getType());
    Object[] values = new Object[type.attributes().size()];
    long written = message.getChanged() | message.getAdded();
    if ((written & ~type.places()) != 0 || Long.bitCount(written) != message.getValuesCount()) {
      throw new IllegalArgumentException("a write of " + type + " with other attributes");
    }
    int next = 0;
    for (int place = 0; place < values.length; place++) {
      if ((written & 1L << place) != 0) {
        values[place] = type.attribute(place).type().of(value(message.getValues(next++)));
      }
    }
    ArrayList<Predicate> predicates = new ArrayList<>();
    for (PredicateMessage each : message.getPredicatesList()) {
      predicates.add(new Predicate(each.getCondition(), plain(each.getParametersList())));
    }
    return new Write(
        kinds[message.getKind()],
        type.code(),
        message.getOid(),
        message.getDomain(),
        numbers(message.getStoresList()),
        values,
        message.getChanged(),
        message.getAdded(),
        message.getVersion(),
        predicates);
  }

  ReplyMessage reply(Reply reply) {
    ReplyMessage.Builder message = ReplyMessage.newBuilder();
    if (reply instanceof Reply.Objects objects) {
      message.setObjects(objects(objects.objects()));
    } else if (reply instanceof Reply.Ended ended) {
      message.setEnded(
          EndedMessage.newBuilder().setEnd(ended.end().ordinal()).setMessage(ended.message()));
    } else if (reply instanceof Reply.Done) {
      message.setDone(true);
    } else if (reply instanceof Reply.Branches branches) {
      BranchesMessage.Builder all = BranchesMessage.newBuilder();
      branches.branches().forEach(branch -> all.addBranches(branch(branch)));
      message.setBranches(all);
    } else if (reply instanceof Reply.Failed failed) {
      String why = failed.message() == null ? "" : failed.message();
      message.setFailed(FailedMessage.newBuilder().setBusy(failed.busy()).setMessage(why));
    }
    return message.build();
  }

  Reply reply(ReplyMessage message) {
    return switch (message.getReplyCase()) {
      case OBJECTS -> new Reply.Objects(objects(message.getObjects()));
      case ENDED -> {
        Reply.End[] ends = Reply.End.values();
        int end = message.getEnded().getEnd();
        if (end < 0 || end >= ends.length) {
          throw new IllegalArgumentException("there is no end " + end);
        }
        yield new Reply.Ended(ends[end], message.getEnded().getMessage());
      }
      case DONE -> new Reply.Done();
      case BRANCHES -> {
        ArrayList<Branch> branches = new ArrayList<>();
        message.getBranches().getBranchesList().forEach(each -> branches.add(branch(each)));
        yield new Reply.Branches(branches);
      }
      case FAILED ->
          new Reply.Failed(message.getFailed().getBusy(), message.getFailed().getMessage());
      case REPLY_NOT_SET -> throw new IllegalArgumentException("there is no such reply");
    };
  }

  private static ObjectsMessage objects(List<ObjectState> objects) {
    ObjectsMessage.Builder all = ObjectsMessage.newBuilder();
    for (ObjectState object : objects) {
      ObjectMessage.Builder message =
          all.addObjectsBuilder()
              .setType(object.type())
              .setOid(object.oid())
              .setVersion(object.version())
              .setStore(object.store());
      for (Object value : object.values()) {
        message.addValues(value(value));
      }
    }
    return all.build();
  }

  private ArrayList<ObjectState> objects(ObjectsMessage message) {
    ArrayList<ObjectState> objects = new ArrayList<>(message.getObjectsCount());
    for (ObjectMessage each : message.getObjectsList()) {
      ObjectType type = schema.type(each.getType());
      if (each.getValuesCount() != type.attributes().size()) {
        throw new IllegalArgumentException("a " + type + " with other attributes");
      }
      Object[] values = new Object[each.getValuesCount()];
      for (int place = 0; place < values.length; place++) {
        values[place] = type.attribute(place).type().of(value(each.getValues(place)));
      }
      objects.add(
          new ObjectState(type.code(), each.getOid(), each.getVersion(), each.getStore(), values));
    }
    return objects;
  }
}
