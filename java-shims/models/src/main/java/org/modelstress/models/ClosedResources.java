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
import java.util.function.UnaryOperator;
import org.eclipse.emf.common.util.URI;
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

  /** Otherwise every byte is asked for by itself. */
  private static final Map<String, Object> BINARY_OPTIONS =
      Map.of(BinaryResourceImpl.OPTION_INTERNAL_BUFFER_CAPACITY, 1 << 16);

  private final String what;
  private final ResourceSet set = new ResourceSetImpl();
  private final SharedTexts texts = new SharedTexts();
  private final Map<String, Object> options;

  /**
   * A document that was read.
   *
   * @param sha256 of the bytes that were read, hexadecimal
   */
  record Document(Resource resource, String sha256) {}

  /**
   * An empty set.
   *
   * @param what the documents are, for messages: {@code Model}
   * @param metamodels by nsURI; models of others are refused
   * @param documents that links may lead to
   */
  ClosedResources(String what, EPackage.Registry metamodels, Set<URI> documents) {
    this(what, metamodels, documents, UnaryOperator.identity());
  }

  /**
   * The same, with links by other addresses than the documents' own.
   *
   * @param meant from a link to the document's own address
   */
  ClosedResources(
      String what, EPackage.Registry metamodels, Set<URI> documents, UnaryOperator<URI> meant) {
    this.what = what;
    set.setURIConverter(new ExtensibleURIConverterImpl(List.of(), List.of()));
    set.setPackageRegistry(new KnownPackages(metamodels));
    options = loadOptions(documents, meant);
  }

  /** What was read so far. */
  ResourceSet set() {
    return set;
  }

  /** Frees what only reading needs. To be said after the last document. */
  void finish() {
    texts.forget();
  }

  /**
   * Reads a document. Its format is told by the first byte, not by the name.
   *
   * @param uri as which other documents refer to it
   * @param sha256 that it has to have, hexadecimal; null if any
   * @throws ModelException if it is missing, truncated, not understood or another one
   */
  Document read(Path file, URI uri, String sha256) throws ModelException {
    if (!Files.isRegularFile(file)) {
      throw new ModelException(what + " " + file + " does not exist or is not a file.");
    }
    try (HashedFile hashed = new HashedFile(file)) {
      ModelException failure = null;
      Resource resource = null;
      try {
        resource = read(hashed.stream(), Files.size(file), uri);
      } catch (IOException | RuntimeException e) {
        failure = new ModelException(what + " " + file + " " + LoadProblem.of(e) + ".", e);
      } catch (OutOfMemoryError | StackOverflowError e) {
        set.getResources().clear(); // makes room for the message
        failure = tooBig(file, e);
      }
      String found = hashed.sha256();
      if (sha256 != null && !found.equals(sha256)) {
        throw new ModelException(
            what + " " + file + " is not the one that model.json describes; make the model again.");
      }
      if (failure != null) {
        throw failure;
      }
      return new Document(resource, found);
    } catch (IOException e) {
      throw new ModelException(what + " " + file + " cannot be read: " + e + ".", e);
    }
  }

  private ModelException tooBig(Path file, Error error) {
    long mib = Runtime.getRuntime().maxMemory() >> 20;
    String heap = " is damaged or too big for the heap of " + mib + " MiB; allow more with -Xmx.";
    return new ModelException(what + " " + file + heap, error);
  }

  private Resource read(InputStream bytes, long size, URI uri) throws IOException {
    InputStream in = new BufferedInputStream(bytes, 1 << 16);
    in.mark(1);
    int first = in.read();
    in.reset();
    if (first < 0) {
      throw new IOException("it is empty");
    }
    if (first == BINARY_SIGNATURE) {
      Resource resource = texts.binary(uri);
      set.getResources().add(resource);
      DeepStack.run(size * STACK_PER_FILE_BYTE, () -> resource.load(in, BINARY_OPTIONS));
      return resource;
    }
    XMIResourceImpl resource = texts.xmi(uri);
    set.getResources().add(resource);
    // forward references are resolved at the end, by one walk that fills this map
    resource.setIntrinsicIDToEObjectMap(new HashMap<>());
    resource.load(in, options);
    resource.setIntrinsicIDToEObjectMap(null);
    return resource;
  }

  private static Map<String, Object> loadOptions(Set<URI> documents, UnaryOperator<URI> meant) {
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
            URI resolved = meant.apply(super.resolve(uri));
            if (!documents.contains(resolved.trimFragment())) {
              throw new LoadProblem.RefusedException(
                  "refers to another document, "
                      + uri
                      + ", which is not part of it; add that or remove the link");
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
        throw new LoadProblem.RefusedException(
            "is of an unknown metamodel, "
                + nsUri
                + "; known is "
                + String.join(", ", keySet())
                + ", others come with their Ecore file");
      }
      return ePackage;
    }
  }
}
