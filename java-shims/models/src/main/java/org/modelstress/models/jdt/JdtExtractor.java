package org.modelstress.models.jdt;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.eclipse.emf.common.util.URI;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.InternalEObject;
import org.eclipse.emf.ecore.resource.Resource;
import org.eclipse.emf.ecore.resource.impl.BinaryResourceImpl;
import org.eclipse.emf.ecore.util.InternalEList;
import org.eclipse.emf.ecore.xmi.impl.XMIResourceImpl;
import org.eclipse.jdt.core.dom.CompilationUnit;
import org.modelstress.harness.server.ToolServer.Progress;
import org.modelstress.models.ModelDescription;
import org.modelstress.models.ModelException;
import org.modelstress.models.ModelFolder;

/**
 * Turns Java sources into a model of the {@link JdtMetamodel}, one compilation unit at a time. Same
 * sources in the same order, same elements in the same order, however they are spread over files.
 */
public final class JdtExtractor {
  private static final String METAMODEL = "jdtast.ecore";
  private static final String MODEL = "model.bin";
  private static final String BYTE_ORDER_MARK = "\uFEFF";

  /** What goes into a file of its own, beside what is left for {@code model.bin}. */
  public enum Split {
    /** Nothing: a single file. */
    SINGLE,
    /** Every package of every project. */
    PACKAGE,
    /** Every compilation unit. */
    UNIT;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * What was extracted.
   *
   * @param units compilation units
   * @param nodes of JDT's trees
   * @param elements of the model: the nodes and what is around them
   * @param singletons counted in JDT's trees
   */
  public record Counts(long units, long nodes, long elements, long singletons) {}

  private final JdtMetamodel metamodel = JdtMetamodel.generate();
  private final TreeCopy copy = new TreeCopy(metamodel);
  private final Split split;
  private final ModelFolder folder;
  private final List<String> written = new ArrayList<>();
  private final Set<String> projects = new HashSet<>();
  private final Progress progress;
  private final long total;
  private long units;
  private long around;
  private long singletons;

  private JdtExtractor(Split split, ModelFolder folder, long total, Progress progress) {
    this.split = split;
    this.folder = folder;
    this.total = total;
    this.progress = progress;
  }

  /**
   * Extracts a model into a folder with its metamodel and a {@code model.json}.
   *
   * @param jars with sources; each becomes a project
   * @param output the model's folder
   * @param progress told compilation units
   * @throws ModelException if a jar is missing, damaged or without sources, two have the same name,
   *     or the folder cannot be written; nothing is left then
   */
  public static Counts extract(List<Path> jars, Split split, Path output, Progress progress)
      throws ModelException {
    try (ModelFolder folder = new ModelFolder(output)) {
      long total = 0;
      for (Path jar : jars) {
        total += sourcesByPackage(jar).values().stream().mapToLong(Set::size).sum();
      }
      return new JdtExtractor(split, folder, total, progress).run(jars);
    } catch (IOException e) {
      throw new ModelException("Model " + output + " cannot be written: " + e + ".", e);
    }
  }

  private Counts run(List<Path> jars) throws ModelException, IOException {
    saveMetamodel();
    EObject model = element("IJavaModel", "");
    for (Path jar : jars) {
      add(model, "javaProjects", project(jar));
    }
    save(model, MODEL);
    folder.added(MODEL); // the first file: its elements come before those of the others
    for (String path : written) {
      if (!path.equals(MODEL)) {
        folder.added(path);
      }
    }
    folder.finish();
    return new Counts(units, copy.nodes(), copy.nodes() + around, singletons);
  }

  private EObject project(Path jar) throws ModelException, IOException {
    String name = jar.getFileName().toString().replaceAll("(-sources)?\\.jar$", "");
    if (!projects.add(name)) {
      throw new ModelException(
          "Sources " + jar + " have the name of others, " + name + "; rename or leave out one.");
    }
    EObject project = element("IJavaProject", name);
    EObject root = element("IPackageFragmentRoot", name);
    add(project, "packageFragmentRoots", root);
    Map<String, Set<String>> sources = sourcesByPackage(jar);
    try (ZipFile zip = open(jar)) {
      for (Map.Entry<String, Set<String>> each : sources.entrySet()) {
        EObject fragment = element("IPackageFragment", each.getKey().replace('/', '.'));
        String path = each.getKey().isEmpty() ? name : name + "/" + each.getKey();
        for (String source : each.getValue()) {
          EObject unit = unit(jar, source, text(jar, zip, source));
          String file = name + "/" + source;
          add(fragment, "compilationUnits", split == Split.UNIT ? apart(unit, file) : unit);
        }
        boolean apart = split == Split.PACKAGE;
        add(root, "packageFragments", apart ? apart(fragment, path + "/package") : fragment);
      }
    }
    return project;
  }

  private EObject unit(Path jar, String source, String text) throws ModelException {
    String name = source.substring(source.lastIndexOf('/') + 1);
    EObject element = element("ICompilationUnit", name);
    try {
      CompilationUnit unit = JavaSource.parse(name, text.toCharArray());
      element.eSet(element.eClass().getEStructuralFeature("ast"), copy.copy(unit));
      singletons += Singletons.in(unit);
    } catch (StackOverflowError e) {
      String sentence = " is nested too deeply; leave it out or allow more stack with -Xss.";
      throw new ModelException("Source " + source + " of " + jar + sentence, e);
    }
    progress.at(++units, total);
    return element;
  }

  private static String text(Path jar, ZipFile zip, String source) throws ModelException {
    ZipEntry entry = zip.getEntry(source);
    byte[] bytes;
    try (InputStream in = zip.getInputStream(entry)) {
      bytes = in.readAllBytes();
    } catch (IOException e) {
      throw unreadable(jar, source + ": " + e.getMessage(), e);
    }
    CRC32 sum = new CRC32();
    sum.update(bytes);
    if (sum.getValue() != entry.getCrc()) { // ZipFile does not look at it
      throw unreadable(jar, source + " has a wrong checksum", null);
    }
    String text = new String(bytes, StandardCharsets.UTF_8);
    return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
  }

  /** Saves an element to a file of its own and returns a proxy of it, so that it can be freed. */
  private EObject apart(EObject element, String path) throws IOException {
    String file = path + ".bin";
    save(element, file);
    InternalEObject proxy =
        (InternalEObject)
            element.eClass().getEPackage().getEFactoryInstance().create(element.eClass());
    proxy.eSetProxyURI(ModelFolder.address(file).appendFragment("/"));
    return proxy;
  }

  private void save(EObject element, String path) throws IOException {
    Resource resource = new BinaryResourceImpl(ModelFolder.address(path));
    resource.getContents().add(element);
    try (OutputStream out =
        new BufferedOutputStream(Files.newOutputStream(folder.place(path)), 1 << 16)) {
      resource.save(out, Map.of(BinaryResourceImpl.OPTION_INTERNAL_BUFFER_CAPACITY, 1 << 16));
    }
    written.add(path);
  }

  private void saveMetamodel() throws IOException {
    try (OutputStream out = Files.newOutputStream(folder.place(METAMODEL))) {
      writeMetamodel(out);
    }
    folder.addedMetamodel(METAMODEL);
  }

  /** Writes the metamodel as Ecore; always the same bytes. */
  static void writeMetamodel(OutputStream out) throws IOException {
    Resource resource = new XMIResourceImpl(URI.createURI(METAMODEL));
    for (EPackage each : JdtMetamodel.generate().packages()) {
      resource.getContents().add(each);
    }
    resource.save(out, Map.of(org.eclipse.emf.ecore.xmi.XMLResource.OPTION_ENCODING, "UTF-8"));
  }

  private EObject element(String type, String name) {
    EClass eClass = (EClass) metamodel.core().getEClassifier(type);
    EObject element = metamodel.core().getEFactoryInstance().create(eClass);
    element.eSet(eClass.getEStructuralFeature("elementName"), copy.intern(name));
    around++;
    return element;
  }

  @SuppressWarnings("unchecked")
  private static void add(EObject owner, String feature, EObject child) {
    ((InternalEList<EObject>) owner.eGet(owner.eClass().getEStructuralFeature(feature)))
        .addUnique(child);
  }

  /** Folder inside the jar to the sources in it, both in alphabetical order. */
  private static Map<String, Set<String>> sourcesByPackage(Path jar) throws ModelException {
    Map<String, Set<String>> sources = new TreeMap<>();
    try (ZipFile zip = open(jar)) {
      for (Enumeration<? extends ZipEntry> all = zip.entries(); all.hasMoreElements(); ) {
        String name = all.nextElement().getName();
        if (!name.endsWith(".java")) {
          continue;
        }
        if (!ModelDescription.isInside(name)) {
          throw unreadable(jar, "a source has the name '" + name + "'", null);
        }
        String packageFolder = name.substring(0, Math.max(0, name.lastIndexOf('/')));
        sources.computeIfAbsent(packageFolder, p -> new TreeSet<>()).add(name);
      }
    } catch (IOException e) {
      throw unreadable(jar, e.getMessage(), e);
    }
    if (sources.isEmpty()) {
      throw unreadable(jar, "it has no .java file; take a jar of sources", null);
    }
    return sources;
  }

  private static ZipFile open(Path jar) throws ModelException {
    if (!Files.isRegularFile(jar)) {
      throw new ModelException("Sources " + jar + " do not exist or are no file.");
    }
    try {
      return new ZipFile(jar.toFile());
    } catch (IOException e) {
      throw unreadable(jar, e.getMessage(), e);
    }
  }

  private static ModelException unreadable(Path jar, String why, IOException cause) {
    return new ModelException("Sources " + jar + " cannot be read: " + why + ".", cause);
  }
}
