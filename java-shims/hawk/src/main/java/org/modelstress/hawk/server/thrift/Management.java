package org.modelstress.hawk.server.thrift;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TException;
import org.eclipse.emf.ecore.EPackage;
import org.modelstress.hawk.api.DerivedAttributeSpec;
import org.modelstress.hawk.api.FailedQuery;
import org.modelstress.hawk.api.File;
import org.modelstress.hawk.api.HawkInstanceNotRunning;
import org.modelstress.hawk.api.IndexedAttributeSpec;
import org.modelstress.hawk.api.InvalidMetamodel;
import org.modelstress.hawk.catalog.AttributeDeclaration;
import org.modelstress.hawk.catalog.AttributeDeclaration.Kind;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.index.LiveIndex;
import org.modelstress.hawk.index.NotRunningException;
import org.modelstress.queries.Cancellation;
import org.modelstress.queries.QueryCancelledException;

/** Metamodels and attribute declarations of an index in the words of Hawk's API. */
final class Management {
  /** A change of the index. */
  @FunctionalInterface
  interface Change {
    void run() throws NotRunningException;
  }

  private final LiveIndex index;
  private final String instance;
  private final Queries queries;

  /**
   * Of an index.
   *
   * @param queries bounds what clients' texts may take
   */
  Management(LiveIndex index, String instance, Queries queries) {
    this.queries = queries;
    this.index = index;
    this.instance = instance;
  }

  /** Makes a change for whose failure the API has no exception of its own. */
  void run(Change change) throws TException {
    run(
        change,
        e -> new TApplicationException(TApplicationException.INTERNAL_ERROR, e.getMessage()));
  }

  private void run(Change change, Function<RuntimeException, TException> wrong) throws TException {
    try {
      runOrCancel(change::run, wrong);
    } catch (QueryCancelledException e) {
      throw new IllegalStateException(e); // nobody can cancel it
    }
  }

  /** A change that takes a client's text with it. */
  @FunctionalInterface
  private interface LongChange {
    void run() throws NotRunningException, QueryCancelledException;
  }

  private void runOrCancel(LongChange change, Function<RuntimeException, TException> wrong)
      throws TException, QueryCancelledException {
    try {
      change.run();
    } catch (NotRunningException e) {
      throw new HawkInstanceNotRunning().setInstanceName(instance);
    } catch (IllegalArgumentException e) { // what the client said is wrong
      throw wrong.apply(e);
    } catch (RuntimeException e) {
      String message = e.getMessage() == null ? e.toString() : e.getMessage();
      throw new TApplicationException(TApplicationException.INTERNAL_ERROR, message);
    }
  }

  void register(List<File> metamodels) throws TException {
    for (File file : metamodels) {
      String ecore = StandardCharsets.UTF_8.decode(file.bufferForContents().duplicate()).toString();
      run(
          () -> index.registerMetamodel(ecore),
          e -> new InvalidMetamodel(file.getName() + ": " + e.getMessage()));
    }
  }

  void unregister(List<String> uris) throws TException {
    for (String uri : uris) {
      if (metamodels().contains(uri)) { // Hawk says nothing of others
        run(() -> index.unregisterMetamodel(uri));
      }
    }
  }

  List<String> metamodels() {
    return index.catalog().metamodels().stream().map(EPackage::getNsURI).toList();
  }

  /** Like Hawk, nothing of a metamodel that there is not. */
  List<String> typeNames(String metamodel) {
    return index.catalog().types().stream()
        .filter(type -> isOf(type, metamodel))
        .map(Catalog.Type::name)
        .toList();
  }

  private static boolean isOf(Catalog.Type type, String metamodel) {
    return type.eClass().getEPackage().getNsURI().equals(metamodel);
  }

  /** Like Hawk, nothing of a type that there is not. */
  List<String> attributeNames(String metamodel, String name) {
    return index.catalog().named(name).stream()
        .filter(type -> isOf(type, metamodel))
        .flatMap(type -> type.features().values().stream())
        .filter(feature -> !(feature instanceof Catalog.Reference))
        .map(Catalog.Feature::name)
        .toList();
  }

  /** Declares an attribute; {@code wrong} makes the API's exception of what is wrong with it. */
  void declare(AttributeDeclaration declaration, Function<RuntimeException, TException> wrong)
      throws TException {
    Cancellation cancellation = new Cancellation();
    try {
      queries.bounded(
          cancellation,
          () -> {
            runOrCancel(
                () -> {
                  if (declaration.kind() == Kind.DERIVED) {
                    checkDerived(declaration);
                  }
                  index.declare(declaration, cancellation);
                },
                wrong);
            return null;
          });
    } catch (QueryCancelledException | FailedQuery e) {
      String message = e instanceof FailedQuery failed ? failed.getReason() : "it was cancelled";
      throw new TApplicationException(TApplicationException.INTERNAL_ERROR, message);
    }
  }

  private static void checkDerived(AttributeDeclaration declaration) {
    if (declaration.logic() == null || declaration.logic().isBlank()) {
      throw new IllegalArgumentException("derivationLogic is missing");
    }
    if (declaration.valueType() == null) {
      throw new IllegalArgumentException("attributeType is missing");
    }
    declaration.indexType(); // refuses unknown ones
  }

  void withdraw(AttributeDeclaration declaration) throws TException {
    run(() -> index.withdraw(declaration));
  }

  List<DerivedAttributeSpec> derivedAttributes() {
    return index.catalog().declarations().stream()
        .filter(d -> d.kind() == Kind.DERIVED)
        .map(
            d ->
                new DerivedAttributeSpec(d.metamodel(), d.type(), d.name())
                    .setAttributeType(d.valueType())
                    .setIsMany(d.many())
                    .setIsOrdered(d.ordered())
                    .setIsUnique(d.unique())
                    .setDerivationLanguage(d.language())
                    .setDerivationLogic(d.logic()))
        .toList();
  }

  List<IndexedAttributeSpec> indexedAttributes() {
    return index.catalog().declarations().stream()
        .filter(d -> d.kind() == Kind.INDEXED)
        .map(d -> new IndexedAttributeSpec(d.metamodel(), d.type(), d.name()))
        .toList();
  }

  static AttributeDeclaration declaration(DerivedAttributeSpec spec) {
    String language = spec.getDerivationLanguage();
    return new AttributeDeclaration(
        Kind.DERIVED,
        spec.getMetamodelUri(),
        spec.getTypeName(),
        spec.getAttributeName(),
        spec.getAttributeType(),
        spec.isIsMany(),
        spec.isIsOrdered(),
        spec.isIsUnique(),
        language == null ? "EOL" : language,
        spec.getDerivationLogic());
  }

  static AttributeDeclaration declaration(IndexedAttributeSpec spec) {
    return new AttributeDeclaration(
        Kind.INDEXED,
        spec.getMetamodelUri(),
        spec.getTypeName(),
        spec.getAttributeName(),
        null,
        false,
        false,
        false,
        null,
        null);
  }
}
