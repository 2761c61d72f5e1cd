package org.modelstress.metadata.store;

import java.util.List;
import org.modelstress.metadata.objects.Attribute;
import org.modelstress.metadata.objects.MetadataException;
import org.modelstress.metadata.objects.MetadataObject;
import org.modelstress.metadata.objects.ObjectType;
import org.modelstress.metadata.objects.TypeDefinition;

/** Types are objects, and have names of their own besides. */
public final class NewType {
  private NewType() {}

  /**
   * Creates a type.
   *
   * @throws MetadataException INVALID where its definition makes no sense; CONFLICT where there is
   *     one of the name
   */
  public static ObjectType create(ObjectStore store, String name, List<Attribute> attributes)
      throws MetadataException {
    String text = TypeDefinition.write(TypeDefinition.checked(attributes));
    ObjectType.TYPE.attributes().get(1).checked(text);
    long id = Ids.ofType(store);
    MetadataObject made = new MetadataObject(id, 1, ObjectType.TYPE, new Object[] {name, text});
    store.write(
        connection -> {
          connection.nameType(name, id);
          connection.insert(List.of(made));
          return null;
        });
    return new ObjectType(id, 1, name, attributes);
  }

  /** The type of a name, without any cache; null where there is none. */
  public static ObjectType find(ObjectStore store, String name) throws MetadataException {
    return store.read(
        connection -> {
          long id = connection.typeId(name);
          return id == 0 ? null : of(connection.last(id, (c, type, version) -> ObjectType.TYPE));
        });
  }

  /** The type that an object is. */
  public static ObjectType of(MetadataObject object) throws MetadataException {
    return new ObjectType(
        object.id(),
        object.version(),
        (String) object.values()[0],
        TypeDefinition.read((String) object.values()[1]));
  }
}
