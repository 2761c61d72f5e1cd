package org.modelstress.topology.check;

import java.sql.SQLException;

/** Something that is true of the stores whenever no transaction is under way. */
@FunctionalInterface
interface Rule {
  /** A sentence that says where it is broken; null where it is not. */
  String broken(OpenStores stores) throws SQLException;
}
