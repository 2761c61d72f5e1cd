package org.modelstress.models;

import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.impl.EFactoryImpl;

/**
 * Makes elements of classes that extend one of Ecore, as UML's do. EMF's own factory begins with an
 * instance of that class of Ecore, which cannot be made where it is abstract.
 */
final class PlainFactory extends EFactoryImpl {
  private PlainFactory() {}

  /** Gives a package this factory. */
  static void of(EPackage ePackage) {
    ePackage.setEFactoryInstance(new PlainFactory());
  }

  @Override
  public EObject create(EClass eClass) {
    return eClass.isAbstract() || eClass.getEPackage() != getEPackage()
        ? super.create(eClass) // which refuses it
        : basicCreate(eClass);
  }
}
