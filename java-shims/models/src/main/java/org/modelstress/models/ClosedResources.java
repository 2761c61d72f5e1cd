package org.modelstress.models;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.emf.common.util.URI;
import org.eclipse.emf.common.util.WrappedException;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.impl.EPackageRegistryImpl;
import org.eclipse.emf.ecore.resource.Resource;
import org.eclipse.emf.ecore.resource.ResourceSet;
import org.eclipse.emf.ecore.resource.impl.BinaryResourceImpl;
import org.eclipse.emf.ecore.resource.impl.ExtensibleURIConverterImpl;
import org.eclipse.emf.ecore.resource.impl.ResourceSetImpl;
import org.eclipse.emf.ecore.xmi.XMLResource;
import org.eclipse.emf.ecore.xmi.impl.URIHandlerImpl;
import org.eclipse.emf.ecore.xmi.impl.XMIResourceImpl;

/**
 * Reads documents into a resource set that knows certain metamodels and opens no address: document
 * types and links to documents that were not announced are refused.
 */
final class ClosedResources {
  /** First byte of EMF's binary format, which no text begins with. */
  private static final int BINARY_SIGNATURE = 0x89;

  /** Measured with Train models: at most 28 bytes of stack per byte read. */
  private static final int STACK_PER_FILE_BYTE = 64;

  private final ResourceSet set = new ResourceSetImpl();
  private final Map<String, Object> options;

  /**
   * An empty set.
   *
   * @param metamodels by nsURI; models of others are refused
   * @param documents that links may lead to
   */
  ClosedResources(EPackage.Registry metamodels, Set<URI> documents) {
    set.setURIConverter(new ExtensibleURIConverterImpl(List.of(), List.of()));
    set.setPackageRegistry(new KnownPackages(metamodels));
    options = loadOptions(documents);
  }

  /** What was read so far. */
  ResourceSet set() {
    return set;
  }

  /**
   * Reads a document. Its format is told by the first byte, not by the name.
   *
   * @param uri as which other documents refer to it
   * @throws ModelException if it is missing, truncated or not understood
   */
  Resource read(Path file, URI uri) throws ModelException {
    if (!Files.isRegularFile(file)) {
      throw new ModelException("Model " + file + " does not exist or is not a file.");
    }
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
      return read(in, Files.size(file), uri);
    } catch (IOException | RuntimeException e) {
      throw new ModelException("Model " + file + " " + reason(e) + ".", e);
    } catch (OutOfMemoryError | StackOverflowError e) {
      throw new ModelException(
          "Model "
              + file
              + " is damaged or too big for the heap of "
              + (Runtime.getRuntime().maxMemory() >> 20)
              + " MiB; allow more with -Xmx.",
          e);
    }
  }

  private Resource read(InputStream in, long size, URI uri) throws IOException {
    in.mark(1);
    int first = in.read();
    in.reset();
    if (first < 0) {
      throw new IOException("it is empty");
    }
    if (first == BINARY_SIGNATURE) {
      Resource resource = new BinaryResourceImpl(uri);
      set.getResources().add(resource);
      DeepStack.run(size * STACK_PER_FILE_BYTE, () -> resource.load(in, null));
      return resource;
    }
    XMIResourceImpl resource = new XMIResourceImpl(uri);
    set.getResources().add(resource);
    // forward references are resolved at the end, by one walk that fills this map
    resource.setIntrinsicIDToEObjectMap(new HashMap<>());
    resource.load(in, options);
    resource.setIntrinsicIDToEObjectMap(null);
    return resource;
  }

  private static Map<String, Object> loadOptions(Set<URI> documents) {
    return Map.of(
        XMLResource.OPTION_PARSER_FEATURES,
        Map.of(
            "http://apache.org/xml/features/disallow-doctype-decl", true,
            "http://xml.org/sax/features/external-general-entities", false,
            "http://xml.org/sax/features/external-parameter-entities", false),
        XMLResource.OPTION_URI_HANDLER,
        new URIHandlerImpl() {
          @Override
          public URI resolve(URI uri) {
            URI resolved = super.resolve(uri);
            if (!documents.contains(resolved.trimFragment())) {
              throw new RefusedException("refers to another document, " + uri);
            }
            return resolved;
          }
        },
        XMLResource.OPTION_DEFER_IDREF_RESOLUTION,
        true);
  }

  /** Some metamodels; asking for another one ends the loading. */
  private static final class KnownPackages extends EPackageRegistryImpl {
    private static final long serialVersionUID = 1L;

    KnownPackages(EPackage.Registry known) {
      putAll(known);
    }

    @Override
    public EPackage getEPackage(String nsUri) {
      EPackage ePackage = super.getEPackage(nsUri);
      if (ePackage == null) {
        throw new RefusedException(
            "is of an unknown metamodel, " + nsUri + "; known is " + String.join(", ", keySet()));
      }
      return ePackage;
    }
  }

  /** A reason of our own, found while EMF was reading. */
  private static final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RefusedException(String message) {
      super(message);
    }
  }

  private static String reason(Throwable failure) {
    Throwable cause = failure;
    while (!(cause instanceof RefusedException)
        && cause.getCause() != null
        && (cause instanceof WrappedException || cause instanceof IOException)) {
      cause = cause.getCause();
    }
    if (cause instanceof RefusedException) {
      return cause.getMessage();
    }
    String text = cause.getMessage() == null ? cause.toString() : cause.getMessage();
    return "is truncated or damaged: " + text.strip().replaceAll("[.\\s]+$", "");
  }
}
