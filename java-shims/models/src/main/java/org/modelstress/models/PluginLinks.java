package org.modelstress.models;

import java.util.Collection;
import java.util.List;
import java.util.function.UnaryOperator;
import org.eclipse.emf.common.util.URI;

/**
 * Links of Eclipse's plug-ins between metamodels, such as {@code
 * platform:/plugin/org.eclipse.uml2.types/model/Types.ecore}: each means the given file of that
 * name. Nothing is looked for anywhere else.
 */
final class PluginLinks {
  private PluginLinks() {}

  /** Turns a link to one of these documents into its address, and leaves others as they are. */
  static UnaryOperator<URI> to(Collection<URI> documents) {
    return link -> {
      if (!link.isPlatform()) {
        return link;
      }
      String name = link.trimFragment().lastSegment();
      List<URI> meant = documents.stream().filter(d -> d.lastSegment().equals(name)).toList();
      return meant.size() == 1 ? meant.get(0).appendFragment(link.fragment()) : link;
    };
  }
}
