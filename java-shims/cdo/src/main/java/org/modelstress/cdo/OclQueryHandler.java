package org.modelstress.cdo;

import java.util.ArrayList;
import java.util.List;
import org.eclipse.emf.cdo.common.branch.CDOBranchPoint;
import org.eclipse.emf.cdo.common.model.CDOPackageInfo;
import org.eclipse.emf.cdo.common.util.CDOQueryInfo;
import org.eclipse.emf.cdo.internal.server.ServerCDOView;
import org.eclipse.emf.cdo.server.CDOServerUtil;
import org.eclipse.emf.cdo.server.IQueryContext;
import org.eclipse.emf.cdo.server.IQueryHandler;
import org.eclipse.emf.cdo.server.ISession;
import org.eclipse.emf.cdo.spi.common.revision.ManagedRevisionProvider;
import org.eclipse.emf.cdo.spi.server.InternalRepository;
import org.eclipse.emf.cdo.spi.server.InternalSession;
import org.eclipse.emf.cdo.spi.server.QueryHandlerFactory;
import org.eclipse.emf.cdo.util.CDOUtil;
import org.eclipse.emf.cdo.view.CDOView;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EcorePackage;
import org.eclipse.emf.ecore.impl.EPackageRegistryImpl;
import org.eclipse.net4j.util.ref.ReferenceType;
import org.modelstress.models.QueryException;
import org.modelstress.models.ocl.OclQuery;

/**
 * Answers OCL queries through CDO's query handler SPI. The text is parsed anew for every query, as
 * CDO has no cache of parsed OCL.
 *
 * <p>The query parameter {@code tuple} is the list of names of a match's parts, in order. A match
 * of one part is sent as one identifier, any other as one array of identifiers: an array is one
 * result for CDO, which therefore cannot lose or move a part of a match.
 */
final class OclQueryHandler implements IQueryHandler {
  /** Makes the handler for language {@code ocl}. */
  static final class Factory extends QueryHandlerFactory {
    private final ServerOptions options;

    Factory(ServerOptions options) {
      super("ocl");
      this.options = options;
    }

    @Override
    public IQueryHandler create(String description) {
      return new OclQueryHandler(options);
    }
  }

  private final ServerOptions options;

  private OclQueryHandler(ServerOptions options) {
    this.options = options;
  }

  /** Whatever is thrown here CDO sends to the client as the query's result. */
  @Override
  public void executeQuery(CDOQueryInfo info, IQueryContext context) {
    QueryBounds.checkText(info.getQueryString());
    List<String> tuple = tuple(info);
    try (QueryBounds bounds =
        new QueryBounds(context.getView().getSession(), options.queryTimeoutS())) {
      long begun = options.slowdown().begin();
      executeQuery(info, tuple, bounds, context);
      options.slowdown().end(begun);
    }
  }

  private void executeQuery(
      CDOQueryInfo info, List<String> tuple, QueryBounds bounds, IQueryContext context) {
    InternalRepository repository = (InternalRepository) context.getView().getRepository();
    StoreEnvironmentFactory environments =
        new StoreEnvironmentFactory(packages(repository), bounds);
    CDOView view = open(context);
    try {
      OclQuery query = OclQuery.parse(info.getQueryString(), environments);
      ExtentMap extents = new ExtentMap(repository, view, environments);
      send(query.evaluate(extents, tuple), tuple.size(), context);
    } catch (QueryException e) {
      if (environments.failure() != null) {
        throw environments.failure();
      }
      // a class of the JDK, because the client has to know the class of what it is sent
      throw new IllegalArgumentException(e.getMessage());
    } catch (StackOverflowError e) {
      throw new IllegalArgumentException("The query is nested too deeply.");
    } finally {
      view.close();
    }
  }

  /**
   * The repository's packages, loaded; OCL does not find those that CDO has yet to load. Without
   * Ecore: its operations reach Java's classes.
   */
  private static EPackage.Registry packages(InternalRepository repository) {
    EPackage.Registry packages = new EPackageRegistryImpl();
    for (CDOPackageInfo info : repository.getPackageRegistry().getPackageInfos()) {
      if (!info.getPackageURI().equals(EcorePackage.eNS_URI)) {
        packages.put(info.getPackageURI(), info.getEPackage(true));
      }
    }
    return packages;
  }

  private CDOView open(IQueryContext context) {
    ISession session = context.getView().getSession();
    return options.strongObjects()
        ? new StrongView((InternalSession) session, context)
        : CDOServerUtil.openView(session, context);
  }

  /** CDO's server view, except that an object once met stays the only one with its identifier. */
  @SuppressWarnings("unchecked") // CDO's getAdapter is older than generics
  private static final class StrongView extends ServerCDOView {
    StrongView(InternalSession session, CDOBranchPoint branchPoint) {
      super(
          session,
          branchPoint,
          new ManagedRevisionProvider(
              session.getManager().getRepository().getRevisionManager(), branchPoint));
      initObjectsMap(ReferenceType.STRONG);
    }
  }

  private static List<String> tuple(CDOQueryInfo info) {
    if (!(info.getParameters().get("tuple") instanceof List<?> names) || names.isEmpty()) {
      throw new IllegalArgumentException(
          "The query parameter tuple, the names of a match's parts, is missing.");
    }
    return names.stream().map(String::valueOf).toList();
  }

  private static void send(List<EObject> elements, int arity, IQueryContext context) {
    for (int i = 0; i < elements.size(); i += arity) {
      List<Object> match = new ArrayList<>(arity);
      for (EObject element : elements.subList(i, i + arity)) {
        match.add(CDOUtil.getCDOObject(element).cdoID());
      }
      if (!context.addResult(arity == 1 ? match.get(0) : match.toArray())) {
        return; // cancelled: nobody listens any more
      }
    }
  }
}
