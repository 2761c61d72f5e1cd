package org.modelstress.metadata.work;

import java.util.List;
import org.modelstress.metadata.objects.Discovery;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.population.Population;
import org.modelstress.metadata.service.MetadataService;

/** Finds the population of a store as clients find any object. */
final class LoadedPopulation {
  private LoadedPopulation() {}

  /** The population of a store; one without objects where it was loaded with none. */
  static Population of(MetadataService service) throws MetadataException {
    if (!service.types().contains(Population.TYPE)) {
      return new Population(0, 0, 0);
    }
    List<Long> found = service.discover(Discovery.all(Population.TYPE, 1));
    return Population.of(service.get(found.get(0)));
  }
}
