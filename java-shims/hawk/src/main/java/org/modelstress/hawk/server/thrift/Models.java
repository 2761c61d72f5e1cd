package org.modelstress.hawk.server.thrift;

import java.util.List;
import org.apache.thrift.TException;
import org.eclipse.collections.impl.list.mutable.primitive.LongArrayList;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.hawk.api.ModelElement;
import org.modelstress.hawk.api.Repository;
import org.modelstress.hawk.catalog.Catalog;
import org.modelstress.hawk.catalog.Layout;
import org.modelstress.hawk.graph.GraphReader;
import org.modelstress.hawk.graph.NodeKind;
import org.modelstress.hawk.index.LiveIndex;
import org.modelstress.hawk.query.Element;
import org.modelstress.thrift.results.ElementEncoder;
import org.modelstress.thrift.results.FileName;

/** Indexed files and their elements, without a query. */
final class Models {
  static final String REPOSITORY_TYPE = "org.hawk.localfolder.LocalFolder";

  private final LiveIndex index;
  private final Queries queries;

  Models(LiveIndex index, Queries queries) {
    this.index = index;
    this.queries = queries;
  }

  List<Repository> repositories() {
    return files().stream()
        .map(FileName::repository)
        .distinct()
        .map(uri -> new Repository(uri, REPOSITORY_TYPE).setIsFrozen(false))
        .toList();
  }

  /** Names of the files in some repositories; {@code *} stands for all, of either. */
  List<String> files(List<String> repositories, List<String> patterns) {
    return files().stream()
        .filter(file -> repositories.stream().anyMatch(r -> FileName.fits(r, file.repository())))
        .filter(file -> patterns.stream().anyMatch(file::matches))
        .map(FileName::name)
        .toList();
  }

  private List<FileName> files() {
    return index.files().stream().map(path -> FileName.of(path.toString())).toList();
  }

  /** The elements with these identifiers, apart from those that do not exist. */
  List<ModelElement> elements(List<String> ids, HawkQueryOptions options) throws TException {
    return queries.read(
        (catalog, reader) -> {
          LongArrayList nodes = new LongArrayList();
          for (String id : ids) {
            long node = index.graph().parseId(id);
            if (reader.exists(node) && reader.kind(node) == NodeKind.ELEMENT) {
              nodes.add(node);
            }
          }
          return encode(nodes, catalog, reader, options);
        });
  }

  /** Everything in the effective metamodel: nested with includeContained, else all in a row. */
  List<ModelElement> all(HawkQueryOptions options) throws TException {
    List<String> wanted = queries.paths(options);
    return queries.read(
        (catalog, reader) -> {
          IndexElements source = new IndexElements(catalog, index.graph(), reader);
          ElementEncoder<Element, Catalog.Type> encoder = new ElementEncoder<>(source, options);
          LongArrayList nodes = inFiles(wanted, reader);
          return encoder.encodeAll(encoder.topmost(IndexElements.elements(nodes)));
        });
  }

  /** The elements that no other one contains. */
  List<ModelElement> roots(HawkQueryOptions options) throws TException {
    List<String> wanted = queries.paths(options);
    return queries.read(
        (catalog, reader) -> {
          LongArrayList roots = new LongArrayList();
          addRoots(inFiles(wanted, reader), catalog, reader, roots);
          return encode(roots, catalog, reader, options);
        });
  }

  /** The elements in files with these paths, by default in all, in the order of their nodes. */
  private LongArrayList inFiles(List<String> wanted, GraphReader reader) {
    LongArrayList files = new LongArrayList();
    reader.nodes(NodeKind.FILE, files);
    LongArrayList elements = new LongArrayList();
    files.forEach(
        file -> {
          Object path = reader.property(file, index.graph().key(Layout.PATH));
          if (wanted.isEmpty() || wanted.contains(path)) {
            reader.sources(file, index.graph().label(Layout.IN_FILE), elements);
          }
        });
    return elements.sortThis();
  }

  private static void addRoots(
      LongArrayList elements, Catalog catalog, GraphReader reader, LongArrayList roots) {
    int[] containments =
        catalog.types().stream()
            .flatMap(type -> type.features().values().stream())
            .filter(f -> f instanceof Catalog.Reference r && r.eReference().isContainment())
            .mapToInt(f -> ((Catalog.Reference) f).label())
            .distinct()
            .toArray();
    elements.forEach(
        element -> {
          for (int containment : containments) {
            if (reader.source(element, containment) != GraphReader.NONE) {
              return;
            }
          }
          roots.add(element);
        });
  }

  private List<ModelElement> encode(
      LongArrayList nodes, Catalog catalog, GraphReader reader, HawkQueryOptions options) {
    IndexElements elements = new IndexElements(catalog, index.graph(), reader);
    return new ElementEncoder<>(elements, options).encodeAll(IndexElements.elements(nodes));
  }
}
