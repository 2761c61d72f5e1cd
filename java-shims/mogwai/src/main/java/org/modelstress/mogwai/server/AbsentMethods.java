package org.modelstress.mogwai.server;

import java.util.List;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.TException;
import org.modelstress.hawk.api.DerivedAttributeSpec;
import org.modelstress.hawk.api.File;
import org.modelstress.hawk.api.IndexedAttributeSpec;
import org.modelstress.hawk.api.MetamodelParserDetails;
import org.modelstress.hawk.api.Repository;
import org.modelstress.thrift.server.UnservedCalls;

/**
 * What Hawk's API has and a store without files, updates and declared attributes has not: answered
 * as Thrift does an unknown method. (Thrift itself could not: the tuple protocol cannot skip the
 * arguments of a method that the server does not know.)
 */
abstract class AbsentMethods implements UnservedCalls {
  private static TApplicationException absent(String method) {
    return new TApplicationException(
        TApplicationException.UNKNOWN_METHOD, "Invalid method name: '" + method + "'");
  }

  @Override
  public final void startInstance(String name) throws TException {
    throw absent("startInstance");
  }

  @Override
  public final void stopInstance(String name) throws TException {
    throw absent("stopInstance");
  }

  @Override
  public final void syncInstance(String name, boolean blockUntilDone) throws TException {
    throw absent("syncInstance");
  }

  @Override
  public final void registerMetamodels(String name, List<File> metamodels) throws TException {
    throw absent("registerMetamodels");
  }

  @Override
  public final void unregisterMetamodels(String name, List<String> uris) throws TException {
    throw absent("unregisterMetamodels");
  }

  @Override
  public final List<MetamodelParserDetails> listMetamodelParsers(String name) throws TException {
    throw absent("listMetamodelParsers");
  }

  @Override
  public final List<Repository> listRepositories(String name) throws TException {
    throw absent("listRepositories");
  }

  @Override
  public final List<String> listRepositoryTypes() throws TException {
    throw absent("listRepositoryTypes");
  }

  @Override
  public final List<String> listFiles(String name, List<String> repositories, List<String> patterns)
      throws TException {
    throw absent("listFiles");
  }

  @Override
  public final void addDerivedAttribute(String name, DerivedAttributeSpec spec) throws TException {
    throw absent("addDerivedAttribute");
  }

  @Override
  public final void removeDerivedAttribute(String name, DerivedAttributeSpec spec)
      throws TException {
    throw absent("removeDerivedAttribute");
  }

  @Override
  public final List<DerivedAttributeSpec> listDerivedAttributes(String name) throws TException {
    throw absent("listDerivedAttributes");
  }

  @Override
  public final void addIndexedAttribute(String name, IndexedAttributeSpec spec) throws TException {
    throw absent("addIndexedAttribute");
  }

  @Override
  public final void removeIndexedAttribute(String name, IndexedAttributeSpec spec)
      throws TException {
    throw absent("removeIndexedAttribute");
  }

  @Override
  public final List<IndexedAttributeSpec> listIndexedAttributes(String name) throws TException {
    throw absent("listIndexedAttributes");
  }
}
