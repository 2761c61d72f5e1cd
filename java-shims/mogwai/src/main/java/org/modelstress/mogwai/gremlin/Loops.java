package org.modelstress.mogwai.gremlin;

import static org.eclipse.ocl.utilities.PredefinedType.*;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.eclipse.emf.ecore.EClassifier;
import org.eclipse.emf.ecore.EParameter;
import org.eclipse.ocl.ecore.IterateExp;
import org.eclipse.ocl.ecore.IteratorExp;
import org.eclipse.ocl.expressions.CollectionKind;
import org.eclipse.ocl.expressions.OCLExpression;
import org.eclipse.ocl.expressions.Variable;
import org.eclipse.ocl.types.AnyType;
import org.eclipse.ocl.types.CollectionType;
import org.eclipse.ocl.types.InvalidType;
import org.eclipse.ocl.types.OrderedSetType;
import org.eclipse.ocl.types.SetType;
import org.eclipse.ocl.types.VoidType;
import org.eclipse.ocl.util.CollectionUtil;
import org.eclipse.ocl.util.OCLStandardLibraryUtil;

/**
 * Iterators. Those whose result is a collection become stages of their source's pipeline: {@code
 * select} a filter, {@code collect} a flat-map whose body's own stages follow in the same pipeline.
 */
final class Loops {
  private final Compiler compiler;
  private final Scope scope;
  private final CollectionCalls collections;

  Loops(Compiler compiler, Scope scope) {
    this.compiler = compiler;
    this.scope = scope;
    this.collections = new CollectionCalls(compiler, scope);
  }

  Plan plan(IteratorExp e, boolean ordered) {
    int code = OCLStandardLibraryUtil.getOperationCode(e.getName());
    return switch (code) {
      case SELECT, REJECT -> select(e, code == SELECT, ordered);
      case COLLECT -> collect(e, ordered);
      case COLLECT_NESTED -> collectNested(e, ordered);
      case EXISTS, FOR_ALL, ONE, ANY, IS_UNIQUE -> search(e, code);
      case SORTED_BY -> sortedBy(e);
      case CLOSURE -> closure(e);
      default -> throw Scope.uncovered("The iterator " + e.getName(), e);
    };
  }

  /** The source as a pipeline whose elements are in the iterator's variable. */
  private StreamPlan stream(IteratorExp e, boolean ordered) {
    if (e.getIterator().size() != 1) {
      throw Scope.uncovered("The iterator " + e.getName() + " with several variables", e);
    }
    Plan source = compiler.plan(e.getSource(), ordered);
    return scope.bind(e.getIterator().get(0), collections.stream(e.getSource(), source));
  }

  private Plan select(IteratorExp e, boolean kept, boolean ordered) {
    StreamPlan source = stream(e, ordered && Scope.isOrdered(e.getType()));
    Plan condition = compiler.plan(e.getBody(), false);
    CollectionKind kind =
        source.kind == CollectionKind.COLLECTION_LITERAL
            ? CollectionKind.ORDERED_SET_LITERAL
            : source.kind;
    return scope.stream(
        kind, source.and(new Stage.Filter(condition, kept)), source.traits.elements());
  }

  private static CollectionKind collected(StreamPlan source) {
    return switch (source.kind) {
      case SET_LITERAL, BAG_LITERAL -> CollectionKind.BAG_LITERAL;
      default -> CollectionKind.SEQUENCE_LITERAL;
    };
  }

  private Plan collect(IteratorExp e, boolean ordered) {
    boolean seen = ordered && Scope.isOrdered(e.getType());
    StreamPlan source = stream(e, seen);
    Plan body = compiler.plan(e.getBody(), seen);
    EClassifier type = e.getBody().getType();
    CollectionKind kind = collected(source);
    if (body instanceof StreamPlan inner && isFlat(type)) {
      List<Stage> stages = source.and();
      stages.addAll(inner.nested());
      return scope.stream(kind, stages, inner.traits.elements());
    }
    if (isScalar(type)) {
      return scope.stream(kind, source.and(transform(body)), body.traits.present());
    }
    Stage.Expand scatter = new Stage.Expand(frame -> scatter(body.safe(frame)), false);
    return scope.stream(kind, source.and(scatter), false);
  }

  private static Stage transform(Plan body) {
    return new Stage.Transform(body, Stage.NO_SLOT);
  }

  private static boolean isFlat(EClassifier type) {
    return type instanceof CollectionType<?, ?> collection
        && isScalar((EClassifier) collection.getElementType());
  }

  /** Whether no value of the type is a collection. */
  private static boolean isScalar(EClassifier type) {
    return !(type instanceof CollectionType<?, ?>
        || type instanceof AnyType<?>
        || type instanceof VoidType<?>
        || type instanceof InvalidType<?>);
  }

  private static Iterator<?> scatter(Object value) {
    if (value == Plan.INVALID) {
      throw Signal.Invalid.INSTANCE;
    }
    return value instanceof Collection<?> nested
        ? CollectionUtil.flatten(nested).iterator()
        : Collections.singletonList(value).iterator();
  }

  private Plan collectNested(IteratorExp e, boolean ordered) {
    StreamPlan source = stream(e, ordered && Scope.isOrdered(e.getType()));
    Plan body = compiler.plan(e.getBody(), true);
    return scope.stream(collected(source), source.and(transform(body)), body.traits.present());
  }

  /** Iterators that may end before the last element. */
  private Plan search(IteratorExp e, int code) {
    Plan ordered = compiler.plan(e.getSource(), true);
    Traits element = new Traits(true, ordered.traits.elements(), false);
    int[] slots = e.getIterator().stream().mapToInt(v -> scope.bind(v, element).slot()).toArray();
    Plan body = compiler.plan(e.getBody(), true);
    boolean sure = ordered.traits.sure() && body.traits.sure() && code != ANY;
    // the order decides which element is found, and what comes first: the end or an invalid value
    Plan source = sure && ordered instanceof StreamPlan stream ? stream.unordered() : ordered;
    Search search = Search.of(code);
    if (slots.length == 1 && sure && source instanceof StreamPlan stream) {
      return Plan.of(
          Traits.PRESENT, frame -> search.over(stream.open(frame), slots[0], body, frame));
    }
    return Plan.of(
        Traits.presentIf(sure),
        frame -> {
          Object value = source.value(frame);
          if (Plan.isUndefined(value)) {
            return Plan.INVALID;
          }
          Collection<?> all = (Collection<?>) value;
          return slots.length == 1
              ? search.over(all.iterator(), slots[0], body, frame)
              : search.over(Search.combinations(all, slots, frame), slots[0], body, frame);
        });
  }

  private Plan sortedBy(IteratorExp e) {
    Plan source = compiler.plan(e.getSource(), true);
    Traits element = new Traits(true, source.traits.elements(), false);
    int slot = scope.bind(e.getIterator().get(0), element).slot();
    Plan body = compiler.plan(e.getBody(), false);
    EClassifier type = e.getSource().getType();
    boolean set = type instanceof SetType<?, ?> || type instanceof OrderedSetType<?, ?>;
    return Plan.of(
        new Traits(false, false, source.traits.elements()),
        frame -> {
          Object value = source.value(frame);
          if (Plan.isUndefined(value)) {
            return Plan.INVALID;
          }
          List<Object> sorted = Sorting.sorted((Collection<?>) value, slot, body, frame);
          if (sorted == null) {
            return Plan.INVALID;
          }
          return set ? CollectionUtil.createNewOrderedSet(sorted) : sorted;
        });
  }

  private Plan closure(IteratorExp e) {
    Plan source = compiler.plan(e.getSource(), true);
    // what the body gives may hold null, and is iterated over in turn
    int slot = scope.bind(e.getIterator().get(0), new Traits(true, false, false)).slot();
    Plan body = compiler.plan(e.getBody(), true);
    boolean ordered = e.getType() instanceof OrderedSetType<?, ?>;
    return Plan.of(
        Traits.UNKNOWN,
        frame -> {
          Object value = source.value(frame);
          return Plan.isUndefined(value)
              ? Plan.INVALID
              : Closure.of((Collection<?>) value, slot, body, ordered, frame);
        });
  }

  Plan iterate(IterateExp e) {
    Plan initial = compiler.initial(e.getResult());
    int result = scope.bind(e.getResult(), Traits.UNKNOWN).slot();
    Plan source = compiler.plan(e.getSource(), true);
    Traits element = new Traits(true, source.traits.elements(), false);
    List<Variable<EClassifier, EParameter>> iterators = new ArrayList<>(e.getIterator());
    int[] slots = iterators.stream().mapToInt(v -> scope.bind(v, element).slot()).toArray();
    OCLExpression<EClassifier> expression = e.getBody();
    Plan body = compiler.plan(expression, true);
    return Plan.of(
        Traits.UNKNOWN,
        frame -> {
          Object first = initial.safe(frame);
          Object value = source.value(frame);
          if (Plan.isUndefined(value)) {
            return Plan.INVALID;
          }
          frame.slots[result] = first;
          Iterator<?> all = Search.combinations((Collection<?>) value, slots, frame);
          while (all.hasNext()) {
            all.next();
            frame.step();
            frame.slots[result] = body.safe(frame);
          }
          return frame.slots[result];
        });
  }
}
