package org.modelstress.cdo;

import java.util.AbstractMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.emf.cdo.common.branch.CDOBranchPoint;
import org.eclipse.emf.cdo.common.revision.CDORevision;
import org.eclipse.emf.cdo.spi.common.revision.DetachedCDORevision;
import org.eclipse.emf.cdo.spi.server.InternalRepository;
import org.eclipse.emf.cdo.util.CDOUtil;
import org.eclipse.emf.cdo.view.CDOView;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;

/**
 * The extent of each class, read from the repository when a query first asks for it and kept for
 * the rest of that query. Belongs to one query; not for several threads.
 */
final class ExtentMap extends AbstractMap<EClass, Set<? extends EObject>> {
  private final InternalRepository repository;
  private final CDOView view;
  private final StoreEnvironmentFactory environments;
  private final Map<EClass, Set<EObject>> extents = new HashMap<>();

  ExtentMap(InternalRepository repository, CDOView view, StoreEnvironmentFactory environments) {
    this.repository = repository;
    this.view = view;
    this.environments = environments;
  }

  /** Every instance of the class and of its subclasses; null for a key that is no class. */
  @Override
  public Set<EObject> get(Object key) {
    if (!(key instanceof EClass eClass)) {
      return null;
    }
    Set<EObject> extent = extents.get(eClass);
    if (extent == null) {
      extent = new LinkedHashSet<>();
      try {
        fill(eClass, extent);
      } catch (RuntimeException e) {
        throw environments.halted(e);
      }
      extents.put(eClass, extent);
    }
    return extent;
  }

  @Override
  public boolean containsKey(Object key) {
    return key instanceof EClass;
  }

  /** The extents read so far. */
  @Override
  public Set<Entry<EClass, Set<? extends EObject>>> entrySet() {
    Map<EClass, Set<? extends EObject>> known = new HashMap<>(extents);
    return known.entrySet();
  }

  private void fill(EClass eClass, Set<EObject> extent) {
    read(eClass, extent);
    List<EClass> subTypes = repository.getPackageRegistry().getSubTypes().get(eClass);
    if (subTypes != null) {
      for (EClass subType : subTypes) {
        read(subType, extent);
      }
    }
  }

  /**
   * CDO keeps a table per concrete class, so a class has to be asked for each of its subclasses.
   */
  private void read(EClass eClass, Set<EObject> extent) {
    if (eClass.isAbstract() || eClass.isInterface()) {
      return;
    }
    repository.handleRevisions(
        eClass,
        view.getBranch(),
        false,
        CDOBranchPoint.UNSPECIFIED_DATE,
        false,
        revision -> {
          if (!(revision instanceof DetachedCDORevision)) {
            extent.add(object(revision));
          }
          return true;
        });
  }

  private EObject object(CDORevision revision) {
    return CDOUtil.getEObject(view.getObject(revision.getID()));
  }
}
