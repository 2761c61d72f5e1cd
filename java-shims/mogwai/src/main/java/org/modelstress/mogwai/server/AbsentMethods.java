package org.modelstress.mogwai.server;

import java.util.List;
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
  @Override
  public final void startInstance(String name) throws TException {
    throw UnservedCalls.refusal("startInstance");
  }

  @Override
  public final void stopInstance(String name) throws TException {
    throw UnservedCalls.refusal("stopInstance");
  }

  @Override
  public final void syncInstance(String name, boolean blockUntilDone) throws TException {
    throw UnservedCalls.refusal("syncInstance");
  }

  @Override
  public final void registerMetamodels(String name, List<File> metamodels) throws TException {
    throw UnservedCalls.refusal("registerMetamodels");
  }

  @Override
  public final void unregisterMetamodels(String name, List<String> uris) throws TException {
    throw UnservedCalls.refusal("unregisterMetamodels");
  }

  @Override
  public final List<MetamodelParserDetails> listMetamodelParsers(String name) throws TException {
    throw UnservedCalls.refusal("listMetamodelParsers");
  }

  @Override
  public final List<Repository> listRepositories(String name) throws TException {
    throw UnservedCalls.refusal("listRepositories");
  }

  @Override
  public final List<String> listRepositoryTypes() throws TException {
    throw UnservedCalls.refusal("listRepositoryTypes");
  }

  @Override
  public final List<String> listFiles(String name, List<String> repositories, List<String> patterns)
      throws TException {
    throw UnservedCalls.refusal("listFiles");
  }

  @Override
  public final void addDerivedAttribute(String name, DerivedAttributeSpec spec) throws TException {
    throw UnservedCalls.refusal("addDerivedAttribute");
  }

  @Override
  public final void removeDerivedAttribute(String name, DerivedAttributeSpec spec)
      throws TException {
    throw UnservedCalls.refusal("removeDerivedAttribute");
  }

  @Override
  public final List<DerivedAttributeSpec> listDerivedAttributes(String name) throws TException {
    throw UnservedCalls.refusal("listDerivedAttributes");
  }

  @Override
  public final void addIndexedAttribute(String name, IndexedAttributeSpec spec) throws TException {
    throw UnservedCalls.refusal("addIndexedAttribute");
  }

  @Override
  public final void removeIndexedAttribute(String name, IndexedAttributeSpec spec)
      throws TException {
    throw UnservedCalls.refusal("removeIndexedAttribute");
  }

  @Override
  public final List<IndexedAttributeSpec> listIndexedAttributes(String name) throws TException {
    throw UnservedCalls.refusal("listIndexedAttributes");
  }
}
