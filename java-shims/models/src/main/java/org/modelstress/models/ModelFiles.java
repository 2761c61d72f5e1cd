package org.modelstress.models;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.emf.common.util.URI;
import org.eclipse.emf.common.util.WrappedException;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.resource.Resource;
import org.eclipse.emf.ecore.resource.impl.BinaryResourceImpl;
import org.eclipse.emf.ecore.xmi.XMLResource;
import org.eclipse.emf.ecore.xmi.impl.XMIResourceImpl;

/** Reads and writes model files: XMI ({@code .xmi}) and EMF's binary format ({@code .bin}). */
public final class ModelFiles {
  /** The file name extensions {@link #save} knows. */
  public static final List<String> EXTENSIONS = List.of(".xmi", ".bin");

  /** Measured with Train models: 730 bytes of stack per element written. */
  private static final int STACK_PER_ELEMENT = 1024;

  private ModelFiles() {}

  /**
   * Reads a model of a known metamodel into memory. The format is told by the first byte, not by
   * the name. Nothing but the file itself is read: document types and links to other documents are
   * refused.
   *
   * @return the root element, in a resource of its own
   * @throws ModelException if the file is missing, truncated or not understood
   */
  public static EObject load(Path file) throws ModelException {
    return read(file).contents().get(0);
  }

  /** As {@link #load}, with the hash of what was read. */
  static ModelSource.File read(Path file) throws ModelException {
    URI uri = URI.createFileURI(file.toAbsolutePath().toString());
    ClosedResources resources = new ClosedResources("Model", Metamodels.models(), Set.of());
    ClosedResources.Document document = resources.read(file, uri, null);
    resources.finish();
    List<EObject> contents = List.copyOf(document.resource().getContents());
    if (contents.size() != 1) {
      throw new ModelException(
          "Model "
              + file
              + " has "
              + contents.size()
              + " root elements where exactly one is expected.");
    }
    String path = file.toAbsolutePath().normalize().toString();
    new ModelCheck(Map.of(path, contents), Map.of(path, file)).check();
    return new ModelSource.File(path, document.sha256(), contents);
  }

  /**
   * Writes a model under a temporary name beside {@code file} and renames it, so the file is whole
   * or absent. Every element written has to be below {@code root}. Same model, same bytes.
   *
   * @param file ends in one of {@link #EXTENSIONS}
   * @throws ModelException if the extension is unknown or the file cannot be written
   */
  public static void save(EObject root, Path file) throws ModelException {
    Resource resource = resourceFor(file);
    Resource previous = root.eResource();
    Path temporary =
        file.resolveSibling(
            "." + file.getFileName() + "." + ProcessHandle.current().pid() + ".tmp");
    temporary.toFile().deleteOnExit(); // for SIGTERM and Ctrl-C
    try {
      resource.getContents().add(root);
      write(resource, temporary);
      Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING);
    } catch (NoSuchFileException e) {
      throw new ModelException("Folder of " + file + " does not exist; create it first.", e);
    } catch (IOException | WrappedException e) {
      Throwable cause = e instanceof WrappedException && e.getCause() != null ? e.getCause() : e;
      throw new ModelException("Model " + file + " cannot be written: " + text(cause) + ".", e);
    } finally {
      deleteQuietly(temporary);
      resource.getContents().remove(root);
      if (previous != null) {
        previous.getContents().add(root);
      }
    }
  }

  private static Resource resourceFor(Path file) throws ModelException {
    String name = String.valueOf(file.getFileName());
    // the address is not written: references inside the file are relative to it
    URI uri = URI.createURI("model");
    if (name.endsWith(".xmi")) {
      return new XMIResourceImpl(uri);
    }
    if (name.endsWith(".bin")) {
      return new BinaryResourceImpl(uri);
    }
    throw new ModelException(
        "Model file " + file + " ends in neither of " + String.join(", ", EXTENSIONS) + ".");
  }

  private static void write(Resource resource, Path temporary) throws IOException {
    try (FileChannel channel =
            FileChannel.open(
                temporary,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE);
        OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16)) {
      if (resource instanceof BinaryResourceImpl) {
        DeepStack.run(count(resource) * STACK_PER_ELEMENT, () -> resource.save(out, null));
      } else {
        resource.save(out, Map.of(XMLResource.OPTION_ENCODING, "UTF-8"));
      }
      out.flush();
      channel.force(true);
    }
  }

  private static long count(Resource resource) {
    long elements = 0;
    for (Iterator<EObject> all = resource.getAllContents(); all.hasNext(); all.next()) {
      elements++;
    }
    return elements;
  }

  private static String text(Throwable cause) {
    return cause.getMessage() == null ? cause.toString() : cause.getMessage();
  }

  private static void deleteQuietly(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      // the failure that matters is already on its way
    }
  }
}
