package org.modelstress.models.ocl;

import org.eclipse.emf.ecore.EClassifier;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EcorePackage;
import org.eclipse.ocl.Environment;
import org.eclipse.ocl.ParserException;
import org.eclipse.ocl.ecore.EcoreEnvironment;
import org.eclipse.ocl.ecore.EcoreEnvironmentFactory;
import org.eclipse.ocl.ecore.OCL;
import org.eclipse.ocl.ecore.OCLExpression;
import org.eclipse.ocl.ecore.opposites.EcoreEnvironmentFactoryWithHiddenOpposites;
import org.eclipse.ocl.types.CollectionType;
import org.eclipse.ocl.utilities.PredefinedType;
import org.modelstress.models.QueryException;

/**
 * Text to Eclipse OCL's typed syntax tree. Several threads may parse, each in environments of its
 * own over packages that are loaded; what one parse returns is for one thread.
 */
public final class OclParser {
  /**
   * A query's tree.
   *
   * @param ocl what the tree's types belong to
   * @param expression positions in it count from 0, the begin of the text
   */
  public record Parsed(OCL ocl, OCLExpression expression) {}

  static {
    // Types of OCL's standard library, which all parsers share, list their operations when they are
    // first asked, and spoil the list when two threads ask at once. No parse begins before this is
    // over, since all wait for the class.
    complete(OCL.newInstance(new EcoreEnvironmentFactory()).getEnvironment());
  }

  private OclParser() {}

  private static void complete(Environment<?, EClassifier, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?> any) {
    for (EClassifier type :
        any.getOCLStandardLibrary().getOclAny().getEPackage().getEClassifiers()) {
      if (type instanceof PredefinedType<?> known) {
        known.oclOperations();
      }
      if (type instanceof CollectionType<?, ?> collection) {
        collection.oclIterators();
      }
    }
  }

  /** Environments over the packages of a registry, in which references can be followed back. */
  public static EcoreEnvironmentFactory environments(
      EPackage.Registry registry, BackwardReferences backward) {
    return new EcoreEnvironmentFactoryWithHiddenOpposites(registry, backward);
  }

  /**
   * Parses and validates a query in the environments of a factory.
   *
   * @throws QueryException with line and column if the text is not a query
   */
  public static Parsed parse(String text, EcoreEnvironmentFactory factory) throws QueryException {
    OCL ocl = OCL.newInstance(factory);
    OCL.Helper helper = ocl.createOCLHelper();
    helper.setContext(EcorePackage.Literals.EOBJECT);
    ((EcoreEnvironment) helper.getEnvironment())
        .setProblemHandler(new LocatingProblemHandler(text));
    try {
      return new Parsed(ocl, helper.createQuery(text));
    } catch (ParserException e) {
      throw new QueryException("Malformed OCL: " + message(e, text), e);
    } catch (RuntimeException e) {
      throw new QueryException("Malformed OCL: the parser failed with " + e, e);
    }
  }

  /** The parser wraps what goes wrong in a look-up, and loses the position. */
  private static String message(ParserException e, String text) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof AmbiguousNameException ambiguous) {
        return Position.at(text, text.indexOf(ambiguous.name())) + ": " + cause.getMessage();
      }
    }
    return e.getMessage();
  }
}
