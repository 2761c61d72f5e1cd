package org.modelstress.topology.work;

import java.rmi.RemoteException;
import java.util.Map;
import java.util.Random;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.harness.spi.Outcome.Kind;
import org.modelstress.harness.spi.Result;
import org.modelstress.topology.config.Topology;
import org.modelstress.topology.connection.rmi.RemoteObject;
import org.modelstress.topology.connection.rmi.RmiClient;
import org.modelstress.topology.datasets.Marketplace;

/**
 * What {@link AccommodationWork} does, with objects that stay on the server: a round trip for the
 * query, and 13 for each accommodation, of eleven attributes, the landlord and its name.
 */
public final class RemoteAccommodationWork {
  private final Places accommodation;
  private final Places landlord;
  private final RmiClient client;
  private final Random random;

  /** The work of a client. */
  public RemoteAccommodationWork(Topology topology, RmiClient client, Random random) {
    this.accommodation = Places.of(topology, "Accommodation");
    this.landlord = Places.of(topology, "Landlord");
    this.client = client;
    this.random = random;
  }

  /** Finds accommodations; the parameters are those of the other one. */
  public Outcome find(Map<String, Object> parameters) {
    int size = AccommodationWork.number(parameters, "objects");
    int country = random.nextInt(AccommodationWork.number(parameters, "countries"));
    Object[] given = {Marketplace.code(size, country)};
    try {
      RemoteObject[] found = client.session().query(AccommodationWork.QUERY, given);
      float before = 0;
      for (RemoteObject object : found) {
        readAll(object);
        float rent = (Float) object.get(accommodation.of("rentPerDay"));
        if (rent < before) {
          return Outcome.failed(Kind.INCORRECT, "they are not in the order of rents");
        }
        before = rent;
      }
      return found.length == size
          ? Outcome.ok(new Result.Count(size))
          : Outcome.failed(
              Kind.INCORRECT, found.length + " accommodations were found instead of " + size);
    } catch (RemoteException e) {
      String message = e.getMessage() == null ? e.toString() : e.getMessage();
      return Outcome.failed(Kind.ERROR, message.lines().findFirst().orElse("RMI failed"));
    }
  }

  private void readAll(RemoteObject object) throws RemoteException {
    int owner = accommodation.of("landlord");
    int rent = accommodation.of("rentPerDay");
    for (int place = 0; place < accommodation.type().attributes().size(); place++) {
      if (place == owner) {
        object.follow(place).get(landlord.of("name"));
      } else if (place != rent) {
        object.get(place);
      }
    }
  }
}
