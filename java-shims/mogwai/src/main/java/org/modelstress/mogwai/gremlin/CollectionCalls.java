package org.modelstress.mogwai.gremlin;

import static org.eclipse.ocl.utilities.PredefinedType.*;

import java.util.AbstractCollection;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.eclipse.emf.ecore.EClassifier;
import org.eclipse.ocl.ecore.OperationCallExp;
import org.eclipse.ocl.expressions.OCLExpression;
import org.eclipse.ocl.types.CollectionType;
import org.eclipse.ocl.util.CollectionUtil;

/** Operations of collections. */
final class CollectionCalls {
  /** The result does not depend on the order of the collection. */
  private static final Set<Integer> UNORDERED =
      Set.of(
          SIZE,
          IS_EMPTY,
          NOT_EMPTY,
          AS_SET,
          AS_BAG,
          INCLUDES,
          EXCLUDES,
          INCLUDES_ALL,
          EXCLUDES_ALL,
          COUNT,
          INTERSECTION,
          SYMMETRIC_DIFFERENCE,
          MINUS,
          PRODUCT);

  /** The result has the order of the collection, if its type has one. */
  private static final Set<Integer> KEPT =
      Set.of(
          AS_SEQUENCE,
          AS_ORDERED_SET,
          UNION,
          INCLUDING,
          EXCLUDING,
          APPEND,
          PREPEND,
          INSERT_AT,
          SELECT_BY_KIND,
          SELECT_BY_TYPE,
          FLATTEN);

  private final Compiler compiler;
  private final Scope scope;

  CollectionCalls(Compiler compiler, Scope scope) {
    this.compiler = compiler;
    this.scope = scope;
  }

  /** Those that may look at every pair of elements. */
  private static final Set<Integer> PAIRWISE =
      Set.of(INCLUDES_ALL, EXCLUDES_ALL, INTERSECTION, PRODUCT);

  /** On a collection that is there, an argument that is not invalid. */
  @FunctionalInterface
  private interface Operation {
    Object apply(Collection<Object> source, Object argument);
  }

  Plan plan(OperationCallExp e, boolean ordered) {
    int code = e.getOperationCode();
    Plan source = compiler.plan(e.getSource(), sourceOrder(e, ordered));
    List<OCLExpression<EClassifier>> arguments = e.getArgument();
    if (code == SELECT_BY_KIND || code == SELECT_BY_TYPE) {
      return ofType(e, source);
    }
    return switch (arguments.size()) {
      case 0 -> unary(e, source);
      case 1 -> binary(e, source, compiler.plan(arguments.get(0), true));
      case 2 -> ternary(e, source);
      default -> throw Calls.uncovered(e);
    };
  }

  private static boolean sourceOrder(OperationCallExp e, boolean ordered) {
    if (UNORDERED.contains(e.getOperationCode())) {
      return false;
    }
    return !KEPT.contains(e.getOperationCode()) || ordered && Scope.isOrdered(e.getType());
  }

  private Plan ofType(OperationCallExp e, Plan source) {
    boolean exact = e.getOperationCode() == SELECT_BY_TYPE;
    TypeTest test = new TypeTest(Calls.namedType(e), exact);
    StreamPlan stream = stream(e.getSource(), source);
    List<Stage> stages = new ArrayList<>(stream.nested());
    stages.add(new Stage.OfType(test));
    return scope.stream(stream.kind, stages, stream.traits.elements() || !exact);
  }

  /** A collection as a pipeline. */
  StreamPlan stream(OCLExpression<EClassifier> e, Plan plan) {
    if (plan instanceof StreamPlan stream) {
      return stream;
    }
    Source values =
        frame -> {
          Object value = plan.value(frame);
          if (Plan.isUndefined(value)) {
            throw Signal.Invalid.INSTANCE;
          }
          return ((Collection<?>) value).iterator();
        };
    return scope.stream(
        ((CollectionType<?, ?>) e.getType()).getKind(),
        List.of(new Stage.Expand(values, plan.traits.sure())),
        plan.traits.elements());
  }

  private Plan unary(OperationCallExp e, Plan source) {
    int code = e.getOperationCode();
    if (code == SIZE || code == IS_EMPTY || code == NOT_EMPTY) {
      return extent(code, source);
    }
    EClassifier type =
        (EClassifier) ((CollectionType<?, ?>) e.getSource().getType()).getElementType();
    Operation operation = unary(code, type.getName());
    if (operation == null) {
      throw Calls.uncovered(e);
    }
    boolean conversion =
        code == AS_SET || code == AS_BAG || code == AS_SEQUENCE || code == AS_ORDERED_SET;
    boolean sure = conversion && source.traits.sure();
    return Plan.of(
        new Traits(sure, sure, conversion && source.traits.elements()),
        frame -> {
          Object value = source.safe(frame);
          return Plan.isUndefined(value) ? Plan.INVALID : operation.apply(collection(value), null);
        });
  }

  @SuppressWarnings("unchecked")
  private static Collection<Object> collection(Object value) {
    return (Collection<Object>) value;
  }

  private static Operation unary(int code, String elementType) {
    return switch (code) {
      case SUM -> (s, a) -> sum(s, elementType);
      case FLATTEN -> (s, a) -> CollectionUtil.flatten(s);
      case AS_SET -> (s, a) -> CollectionUtil.asSet(s);
      case AS_BAG -> (s, a) -> CollectionUtil.asBag(s);
      case AS_ORDERED_SET -> (s, a) -> CollectionUtil.asOrderedSet(s);
      case AS_SEQUENCE -> (s, a) -> CollectionUtil.asSequence(s);
      case FIRST -> (s, a) -> s.isEmpty() ? Plan.INVALID : CollectionUtil.first(s);
      case LAST -> (s, a) -> s.isEmpty() ? Plan.INVALID : CollectionUtil.last(s);
      case MAX -> (s, a) -> CollectionUtil.max(s);
      case MIN -> (s, a) -> CollectionUtil.min(s);
      default -> null;
    };
  }

  private static Object sum(Collection<Object> source, String elementType) {
    Object sum = CollectionUtil.sum(source);
    if (sum == null && "Real".equals(elementType)) {
      return 0.0;
    }
    return sum == null && "Integer".equals(elementType) ? (Object) 0 : sum;
  }

  /** Size and emptiness; reads no more than that needs, where nothing is lost by it. */
  private static Plan extent(int code, Plan source) {
    Traits traits = Traits.presentIf(source.traits.sure());
    if (source instanceof StreamPlan stream && stream.traits.total()) {
      return Plan.of(
          traits,
          frame -> {
            Iterator<?> elements = stream.open(frame);
            return code == SIZE
                ? (Object) count(elements)
                : elements.hasNext() == (code == NOT_EMPTY);
          });
    }
    if (source instanceof StreamPlan stream && stream.onlyNeighbours() != null) {
      return Plan.of(
          traits,
          frame -> {
            try {
              Iterator<?> elements = stream.open(frame);
              return code == SIZE
                  ? (Object) count(elements)
                  : elements.hasNext() == (code == NOT_EMPTY);
            } catch (Signal.Invalid e) {
              return Plan.INVALID;
            }
          });
    }
    return Plan.of(
        traits,
        frame -> {
          Object value = source.safe(frame);
          if (Plan.isUndefined(value)) {
            return Plan.INVALID;
          }
          Collection<?> all = (Collection<?>) value;
          return code == SIZE ? (Object) all.size() : all.isEmpty() == (code == IS_EMPTY);
        });
  }

  private static int count(Iterator<?> elements) {
    int count = 0;
    for (; elements.hasNext(); elements.next()) {
      count++;
    }
    return count;
  }

  private Plan binary(OperationCallExp e, Plan source, Plan argument) {
    int code = e.getOperationCode();
    if (code == INCLUDES || code == EXCLUDES) {
      return membership(source, argument, code == INCLUDES);
    }
    Operation operation = code == PRODUCT ? product(e) : binary(code);
    if (operation == null) {
      throw Calls.uncovered(e);
    }
    boolean pairs = PAIRWISE.contains(code);
    return Plan.of(
        Traits.UNKNOWN,
        frame -> {
          Object value = source.safe(frame);
          if (Plan.isUndefined(value)) {
            return Plan.INVALID;
          }
          Object other = argument.safe(frame);
          return other == Plan.INVALID
              ? other
              : operation.apply(collection(value), pairs ? watched(other, frame) : other);
        });
  }

  private static Plan membership(Plan source, Plan argument, boolean included) {
    Neighbours neighbours = source instanceof StreamPlan stream ? stream.onlyNeighbours() : null;
    return Plan.of(
        Traits.presentIf(source.traits.sure() && argument.traits.total()),
        frame -> {
          Object value = neighbours == null ? source.safe(frame) : neighbours.from.safe(frame);
          if (Plan.isUndefined(value)) {
            return Plan.INVALID;
          }
          Object element = argument.safe(frame);
          if (element == Plan.INVALID) {
            return element;
          }
          boolean found =
              neighbours == null
                  ? ((Collection<?>) value).contains(element)
                  : neighbours.contains(value, element, frame);
          return found == included;
        });
  }

  /** Operations that take an element, or a collection: then null makes the result invalid. */
  private static Operation binary(int code) {
    return switch (code) {
      case COUNT -> CollectionUtil::count;
      case INCLUDING -> CollectionUtil::including;
      case EXCLUDING -> CollectionUtil::excluding;
      case APPEND -> CollectionUtil::append;
      case PREPEND -> CollectionUtil::prepend;
      case AT -> (s, a) -> a instanceof Integer index ? CollectionUtil.at(s, index) : Plan.INVALID;
      case INDEX_OF ->
          (s, a) -> {
            Integer index = CollectionUtil.indexOf(s, a);
            return index == null ? Plan.INVALID : index;
          };
      case INCLUDES_ALL -> withCollection(CollectionUtil::includesAll);
      case EXCLUDES_ALL -> withCollection(CollectionUtil::excludesAll);
      case UNION -> withCollection(CollectionUtil::union);
      case INTERSECTION -> withCollection(CollectionUtil::intersection);
      case MINUS -> withCollection((s, a) -> CollectionUtil.minus((Set<?>) s, (Set<?>) a));
      case SYMMETRIC_DIFFERENCE ->
          withCollection((s, a) -> CollectionUtil.symmetricDifference((Set<?>) s, (Set<?>) a));
      default -> null;
    };
  }

  /** The same collection, which ends whatever goes through it when the query is cancelled. */
  private static Object watched(Object value, Frame frame) {
    if (value instanceof Set<?> set) {
      return new AbstractSet<Object>() {
        @Override
        public Iterator<Object> iterator() {
          return Watching.iterator(set, frame);
        }

        @Override
        public boolean contains(Object element) {
          frame.look();
          return set.contains(element);
        }

        @Override
        public int size() {
          return set.size();
        }
      };
    }
    return value instanceof Collection<?> all ? new Watching(all, frame) : value;
  }

  private static final class Watching extends AbstractCollection<Object> {
    private final Collection<?> all;
    private final Frame frame;

    Watching(Collection<?> all, Frame frame) {
      this.all = all;
      this.frame = frame;
    }

    static Iterator<Object> iterator(Collection<?> all, Frame frame) {
      Iterator<?> each = all.iterator();
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          return each.hasNext();
        }

        @Override
        public Object next() {
          frame.look();
          return each.next();
        }
      };
    }

    @Override
    public Iterator<Object> iterator() {
      return iterator(all, frame);
    }

    @Override
    public boolean contains(Object element) {
      frame.look();
      return all.contains(element);
    }

    @Override
    public int size() {
      return all.size();
    }
  }

  private interface WithCollection {
    Object apply(Collection<Object> source, Collection<Object> argument);
  }

  private static Operation withCollection(WithCollection operation) {
    return (s, a) -> a == null ? Plan.INVALID : operation.apply(s, collection(a));
  }

  private Operation product(OperationCallExp e) {
    EClassifier type = (EClassifier) ((CollectionType<?, ?>) e.getType()).getElementType();
    TupleValue.Shape shape = scope.shape(type);
    int first = shape.index("first");
    int second = shape.index("second");
    return withCollection(
        (s, a) -> {
          Set<Object> all = new HashSet<>();
          for (Object one : s) {
            for (Object other : a) {
              Object[] values = new Object[2];
              values[first] = one;
              values[second] = other;
              all.add(new TupleValue(shape, values));
            }
          }
          return all;
        });
  }

  private Plan ternary(OperationCallExp e, Plan source) {
    int code = e.getOperationCode();
    if (code != INSERT_AT && code != SUB_ORDERED_SET && code != SUB_SEQUENCE) {
      throw Calls.uncovered(e);
    }
    Plan first = compiler.plan(e.getArgument().get(0), false);
    Plan second = compiler.plan(e.getArgument().get(1), true);
    return Plan.of(
        Traits.UNKNOWN,
        frame -> {
          Object value = source.safe(frame);
          if (Plan.isUndefined(value)) {
            return Plan.INVALID;
          }
          Object one = first.value(frame);
          Object two = one == Plan.INVALID ? one : second.value(frame);
          if (Plan.isUndefined(one) || two == Plan.INVALID || two == null && code != INSERT_AT) {
            return Plan.INVALID;
          }
          return part(code, collection(value), (Integer) one, two);
        });
  }

  private static Object part(int code, Collection<Object> source, int index, Object second) {
    return switch (code) {
      case INSERT_AT -> CollectionUtil.insertAt(source, index, second);
      case SUB_ORDERED_SET -> CollectionUtil.subOrderedSet(source, index, (Integer) second);
      default -> CollectionUtil.subSequence(source, index, (Integer) second);
    };
  }
}
