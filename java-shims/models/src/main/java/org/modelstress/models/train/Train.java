package org.modelstress.models.train;

import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EEnum;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.modelstress.models.Metamodels;

/** Classes and features of the railway metamodel, for code that builds or reads Train models. */
final class Train {
  static final EClass CONTAINER = type("RailwayContainer");
  static final EClass REGION = type("Region");
  static final EClass ROUTE = type("Route");
  static final EClass SENSOR = type("Sensor");
  static final EClass SEGMENT = type("Segment");
  static final EClass SWITCH = type("Switch");
  static final EClass SWITCH_POSITION = type("SwitchPosition");
  static final EClass SEMAPHORE = type("Semaphore");
  static final EEnum POSITION = (EEnum) Metamodels.train().getEClassifier("Position");
  static final EEnum SIGNAL = (EEnum) Metamodels.train().getEClassifier("Signal");

  static final EAttribute ID = attribute(type("RailwayElement"), "id");
  static final EReference ROUTES = reference(CONTAINER, "routes");
  static final EReference REGIONS = reference(CONTAINER, "regions");
  static final EReference SENSORS = reference(REGION, "sensors");
  static final EReference ELEMENTS = reference(REGION, "elements");
  static final EAttribute ACTIVE = attribute(ROUTE, "active");
  static final EReference FOLLOWS = reference(ROUTE, "follows");
  static final EReference REQUIRES = reference(ROUTE, "requires");
  static final EReference ENTRY = reference(ROUTE, "entry");
  static final EReference EXIT = reference(ROUTE, "exit");
  static final EReference MONITORS = reference(SENSOR, "monitors");
  static final EReference MONITORED_BY = reference(type("TrackElement"), "monitoredBy");
  static final EReference CONNECTS_TO = reference(type("TrackElement"), "connectsTo");
  static final EAttribute LENGTH = attribute(SEGMENT, "length");
  static final EReference SEMAPHORES = reference(SEGMENT, "semaphores");
  static final EAttribute CURRENT_POSITION = attribute(SWITCH, "currentPosition");
  static final EAttribute SWITCH_POSITION_POSITION = attribute(SWITCH_POSITION, "position");
  static final EReference TARGET = reference(SWITCH_POSITION, "target");
  static final EAttribute SEMAPHORE_SIGNAL = attribute(SEMAPHORE, "signal");

  private Train() {}

  private static EClass type(String name) {
    return (EClass) Metamodels.train().getEClassifier(name);
  }

  private static EAttribute attribute(EClass type, String name) {
    return (EAttribute) feature(type, name);
  }

  private static EReference reference(EClass type, String name) {
    return (EReference) feature(type, name);
  }

  private static EStructuralFeature feature(EClass type, String name) {
    return type.getEStructuralFeature(name);
  }
}
