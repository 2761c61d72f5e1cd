package org.modelstress.cdo;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.eclipse.emf.cdo.common.id.CDOID;
import org.eclipse.emf.cdo.common.id.CDOIDUtil;
import org.eclipse.emf.cdo.net4j.CDONet4jSession;
import org.eclipse.emf.cdo.net4j.CDONet4jSessionConfiguration;
import org.eclipse.emf.cdo.net4j.CDONet4jUtil;
import org.eclipse.emf.cdo.spi.common.commit.CDOCommitInfoUtil;
import org.eclipse.emf.cdo.transaction.CDOTransaction;
import org.eclipse.emf.cdo.util.CDOUtil;
import org.eclipse.emf.cdo.util.CommitException;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.InternalEObject;
import org.eclipse.emf.ecore.util.InternalEList;
import org.eclipse.emf.internal.cdo.session.CDOSessionConfigurationImpl;
import org.eclipse.emf.spi.cdo.InternalCDOSession;
import org.eclipse.net4j.jvm.JVMUtil;
import org.eclipse.net4j.util.ref.ReferenceType;
import org.modelstress.harness.samples.IdsFile;
import org.modelstress.harness.server.SealedFolder;
import org.modelstress.harness.server.ToolServer.Progress;
import org.modelstress.models.ElementIndex;
import org.modelstress.models.ModelException;
import org.modelstress.models.ModelSource;

/**
 * Copies a model into a CDO repository through an ordinary client session, in batches of one commit
 * each, so that the copy is never in memory as a whole.
 *
 * <p>Elements are created in containment order. A reference is set as soon as both of its ends
 * exist: from the later end where there is an opposite, otherwise together with its source, or in a
 * second pass when one of its targets comes in a later batch.
 */
final class Loader {
  /** Elements per commit: large enough that the cost of a commit does not show. */
  static final int BATCH = 5_000;

  private static final String RESOURCE = "/model";
  // committing thousands of elements takes longer than a signal may by default
  private static final long SIGNAL_TIMEOUT_MS = 600_000;

  private final ElementIndex elements;
  private final MetamodelCopy metamodel;
  private final CdoRepository repository;
  private final CDONet4jSession session;
  private final long[] ids;
  private final int batchSize;
  private final List<EObject> batch = new ArrayList<>();

  /** Elements with a reference that waits for the second pass. */
  private final BitSet waiting = new BitSet();

  private CDOTransaction transaction;
  private int batchStart;

  private Loader(
      ElementIndex elements, MetamodelCopy metamodel, CdoRepository repository, int batchSize) {
    this.elements = elements;
    this.metamodel = metamodel;
    this.repository = repository;
    this.session = open(repository);
    this.ids = new long[elements.size()];
    this.batchSize = batchSize;
  }

  private static CDONet4jSession open(CdoRepository repository) {
    JVMUtil.getAcceptor(repository.container(), "load");
    CDONet4jSessionConfiguration configuration = CDONet4jUtil.createNet4jSessionConfiguration();
    configuration.setConnector(JVMUtil.getConnector(repository.container(), "load"));
    configuration.setRepositoryName(CdoRepository.NAME);
    configuration.setSignalTimeout(SIGNAL_TIMEOUT_MS);
    // one that keeps no commits, as each has all that is new in it
    ((CDOSessionConfigurationImpl) configuration)
        .setCommitInfoManager(CDOCommitInfoUtil.createCommitInfoManager(false));
    return configuration.openNet4jSession();
  }

  /**
   * Fills a new database in this folder and writes {@code ids.mssf} beside it.
   *
   * @return number of elements
   * @throws ModelException if the model has something that CDO has no place for
   * @throws IOException if CDO refuses a commit or a file cannot be written
   */
  static int load(ModelSource model, Path folder, ServerOptions options, Progress progress)
      throws ModelException, IOException {
    return load(model, folder, options, progress, BATCH);
  }

  /**
   * The same with commits of another size.
   *
   * @param batchSize elements per commit
   */
  static int load(
      ModelSource model, Path folder, ServerOptions options, Progress progress, int batchSize)
      throws ModelException, IOException {
    ElementIndex elements = new ElementIndex(model.roots());
    progress.at(0, elements.size());
    Columns.check(elements);
    MetamodelCopy metamodel = new MetamodelCopy(model.rootPackages());
    Columns.makeRoom(elements, metamodel);
    CdoRepository repository = CdoRepository.forLoading(folder, options);
    boolean loaded = false;
    try {
      Loader loader = new Loader(elements, metamodel, repository, batchSize);
      loader.run(progress);
      loader.session.close();
      loader.writeIds(folder.resolve(SealedFolder.IDS));
      loaded = true;
    } catch (CommitException e) {
      // CDO's message goes on with stack traces
      String why = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      throw new IOException("CDO refused a commit: " + why.strip(), e);
    } finally {
      if (loaded) {
        repository.closeCompact();
      } else {
        repository.close();
      }
    }
    progress.at(elements.size(), elements.size());
    return elements.size();
  }

  private void run(Progress progress) throws CommitException {
    metamodel.roots().forEach(session.getPackageRegistry()::putEPackage);
    begin();
    for (batchStart = 0; batchStart < elements.size(); batchStart += batchSize) {
      int end = Math.min(batchStart + batchSize, elements.size());
      for (int i = batchStart; i < end; i++) {
        create(i);
      }
      for (int i = batchStart; i < end; i++) {
        setReferences(i);
      }
      commit();
      // the last element counts when everything is written
      progress.at(Math.min(end, elements.size() - 1), elements.size());
    }
    setForwardReferences();
  }

  private void create(int index) {
    EObject source = elements.element(index);
    EObject copy = metamodel.create(source);
    batch.add(copy);
    if (source.eContainer() == null) {
      ((InternalEList<EObject>) transaction.getOrCreateResource(RESOURCE).getContents())
          .addUnique(copy);
      return;
    }
    EObject parent = copyOf(indexOf(source.eContainer()));
    add(parent, metamodel.feature(source.eContainmentFeature()), copy);
  }

  private void setReferences(int index) {
    EObject source = elements.element(index);
    for (EReference reference : source.eClass().getEAllReferences()) {
      if (!isCopied(source, reference)) {
        continue;
      }
      List<EObject> targets = targets(source, reference);
      if (reference.getEOpposite() != null) {
        targets = targets.stream().filter(target -> indexOf(target) <= index).toList();
      } else if (isForward(index, targets)) {
        waiting.set(index);
        continue;
      }
      copyReference(index, reference, targets);
    }
  }

  /** The second pass: references without opposite, some target of which came in a later batch. */
  private void setForwardReferences() throws CommitException {
    int changed = 0;
    for (int i = waiting.nextSetBit(0); i >= 0; i = waiting.nextSetBit(i + 1)) {
      EObject source = elements.element(i);
      for (EReference reference : source.eClass().getEAllReferences()) {
        if (!isCopied(source, reference) || reference.getEOpposite() != null) {
          continue;
        }
        List<EObject> targets = targets(source, reference);
        if (isForward(i, targets)) {
          copyReference(i, reference, targets);
          changed++;
        }
      }
      if (changed >= batchSize) {
        transaction.commit();
        begin();
        changed = 0;
      }
    }
    transaction.commit();
    transaction.close();
  }

  /**
   * A transaction per commit, so that its objects can be freed, and what both ends remember of them
   * with it. Until then it holds them strongly: with weaker references CDO can make a second object
   * for an element that has been changed.
   */
  private void begin() {
    if (transaction != null) {
      transaction.close();
      ((InternalCDOSession) session).getRevisionManager().getCache().clear();
      repository.forgetRevisions();
    }
    transaction = session.openTransaction();
    transaction.options().setCacheReferenceType(ReferenceType.STRONG);
  }

  private static boolean isCopied(EObject source, EReference reference) {
    return !reference.isContainment()
        && !reference.isContainer()
        && !reference.isDerived()
        && !reference.isTransient()
        && source.eIsSet(reference);
  }

  private static List<EObject> targets(EObject source, EReference reference) {
    Object value = source.eGet(reference);
    List<EObject> targets = new ArrayList<>();
    if (value instanceof List<?> list) {
      for (Object target : list) {
        targets.add((EObject) target);
      }
    } else {
      targets.add((EObject) value);
    }
    return targets;
  }

  private boolean isForward(int index, List<EObject> targets) {
    int batchEnd = (index / batchSize + 1) * batchSize;
    return targets.stream().anyMatch(target -> indexOf(target) >= batchEnd);
  }

  private void copyReference(int index, EReference reference, List<EObject> targets) {
    EStructuralFeature feature = metamodel.feature(reference);
    EObject copy = copyOf(index);
    for (EObject target : targets) {
      add(copy, feature, copyOf(indexOf(target)));
    }
  }

  /** Adds to a list or sets a single value; opposites follow by themselves. */
  @SuppressWarnings("unchecked")
  private static void add(EObject owner, EStructuralFeature feature, EObject value) {
    if (feature.isMany()) {
      // what the source model holds once is not looked for again in a list that may be long
      ((InternalEList<EObject>) ((InternalEObject) owner).eGet(feature)).addUnique(value);
    } else {
      owner.eSet(feature, value);
    }
  }

  private EObject copyOf(int index) {
    if (index >= batchStart && index < batchStart + batch.size()) {
      return batch.get(index - batchStart);
    }
    return CDOUtil.getEObject(transaction.getObject(CDOIDUtil.createLong(ids[index])));
  }

  private int indexOf(EObject element) {
    return Math.toIntExact(elements.indexOf(element));
  }

  private void commit() throws CommitException {
    transaction.commit();
    for (int i = 0; i < batch.size(); i++) {
      CDOID id = CDOUtil.getCDOObject(batch.get(i)).cdoID();
      ids[batchStart + i] = CDOIDUtil.getLong(id);
    }
    batch.clear();
    begin();
  }

  private void writeIds(Path file) throws IOException {
    IdsFile.Writer writer = IdsFile.ofLongs(file);
    try (writer) {
      for (int i = 0; i < ids.length; i++) {
        writer.put(ids[i], i);
      }
    } catch (IOException e) {
      writer.abandon();
      throw e;
    }
  }
}
