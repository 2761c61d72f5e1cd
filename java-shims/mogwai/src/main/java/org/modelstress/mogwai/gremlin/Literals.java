package org.modelstress.mogwai.gremlin;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.eclipse.emf.ecore.EAnnotation;
import org.eclipse.emf.ecore.EClassifier;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.ocl.ecore.CollectionLiteralExp;
import org.eclipse.ocl.ecore.TupleLiteralExp;
import org.eclipse.ocl.expressions.CollectionItem;
import org.eclipse.ocl.expressions.CollectionKind;
import org.eclipse.ocl.expressions.CollectionLiteralPart;
import org.eclipse.ocl.expressions.CollectionRange;
import org.eclipse.ocl.expressions.TupleLiteralPart;
import org.eclipse.ocl.util.CollectionUtil;

/** Literals of collections and tuples. */
final class Literals {
  private static final String ANNOTATION = "http://www.eclipse.org/ocl/1.1.0/OCL/Annotations";
  private static final String FROM_SINGLE = "IMPLICIT_SET_CONVERSION";

  private final Compiler compiler;
  private final Scope scope;

  Literals(Compiler compiler, Scope scope) {
    this.compiler = compiler;
    this.scope = scope;
  }

  /** Adds what a part stands for; false if that is invalid. */
  private interface Part {
    boolean addTo(Collection<Object> all, Frame frame);
  }

  Plan collection(CollectionLiteralExp e) {
    CollectionKind kind = e.getKind();
    if (kind == CollectionKind.SEQUENCE_LITERAL && e.isSimpleRange()) {
      return sequence((CollectionRange<EClassifier>) e.getPart().get(0));
    }
    boolean total = true;
    boolean present = true;
    List<Part> parts = new ArrayList<>();
    for (CollectionLiteralPart<EClassifier> part : e.getPart()) {
      if (part instanceof CollectionItem<EClassifier> item) {
        Plan plan = compiler.plan(item.getItem(), true);
        total &= plan.traits.total();
        present &= plan.traits.present();
        parts.add(item(plan, e.getPart().size() == 1 && isFromSingle(e)));
      } else {
        total = false;
        parts.add(range((CollectionRange<EClassifier>) part));
      }
    }
    return Plan.of(
        new Traits(total, total, present),
        frame -> {
          Collection<Object> all = CollectionUtil.createNewCollection(kind);
          for (Part part : parts) {
            if (!part.addTo(all, frame)) {
              return Plan.INVALID;
            }
          }
          return all;
        });
  }

  private static Part item(Plan item, boolean fromSingle) {
    return (all, frame) -> {
      Object value = item.value(frame);
      if (value != null || !fromSingle) {
        all.add(value);
      }
      return value != Plan.INVALID;
    };
  }

  /** Whether the set stands for a single value before an arrow: null makes it empty. */
  private static boolean isFromSingle(CollectionLiteralExp e) {
    EAnnotation annotation = e.getEAnnotation(ANNOTATION);
    return annotation != null && Boolean.parseBoolean(annotation.getDetails().get(FROM_SINGLE));
  }

  private Part range(CollectionRange<EClassifier> range) {
    Plan first = compiler.plan(range.getFirst(), false);
    Plan last = compiler.plan(range.getLast(), false);
    return (all, frame) -> {
      Integer from = (Integer) first.value(frame);
      Integer to = (Integer) last.value(frame);
      if (from != null && to != null) {
        for (long i = from; i <= to; i++) {
          frame.step();
          all.add((int) i);
        }
      }
      return true;
    };
  }

  private Plan sequence(CollectionRange<EClassifier> range) {
    Plan first = compiler.plan(range.getFirst(), false);
    Plan last = compiler.plan(range.getLast(), false);
    return Plan.of(
        Traits.UNKNOWN,
        frame -> {
          Integer from = (Integer) first.value(frame);
          Integer to = from == null ? null : (Integer) last.value(frame);
          if (to == null) {
            List<Object> single = new ArrayList<>();
            single.add(null);
            return single;
          }
          if ((long) to - from >= Integer.MAX_VALUE) {
            throw new Signal.TooLarge("a range has at most " + Integer.MAX_VALUE + " elements");
          }
          return from > to ? new ArrayList<>() : new Range(from, to, frame);
        });
  }

  /** Whole numbers in a row, of which none is stored. */
  private static final class Range extends AbstractList<Object> {
    private final int first;
    private final int last;
    private final Frame frame;

    Range(int first, int last, Frame frame) {
      this.frame = frame;
      this.first = first;
      this.last = last;
    }

    @Override
    public Object get(int index) {
      frame.step(); // whoever goes through it ends when the query is cancelled
      return first + Objects.checkIndex(index, size());
    }

    @Override
    public int size() {
      return last - first + 1;
    }
  }

  Plan tuple(TupleLiteralExp e) {
    TupleValue.Shape shape = scope.shape(e.getType());
    Plan[] parts = new Plan[shape.names().length];
    boolean total = true;
    for (TupleLiteralPart<EClassifier, EStructuralFeature> part : e.getPart()) {
      Plan plan = compiler.plan(part.getValue(), true);
      total &= plan.traits.total();
      parts[shape.index(part.getAttribute().getName())] = plan;
    }
    return Plan.of(
        Traits.presentIf(total),
        frame -> {
          Object[] values = new Object[parts.length];
          for (int i = 0; i < parts.length; i++) {
            values[i] = parts[i].value(frame);
          }
          return new TupleValue(shape, values);
        });
  }
}
