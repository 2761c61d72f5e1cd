package org.modelstress.cdo;

import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EObject;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.internal.cdo.object.CDOFactoryImpl;

/**
 * Makes CDO's elements of classes that extend one of Ecore, as UML's do. EMF's own factory begins
 * with an instance of that class of Ecore, which cannot be made where it is abstract.
 */
final class ElementFactory extends CDOFactoryImpl {
  private ElementFactory(EPackage ePackage) {
    super(ePackage);
  }

  /** Gives a package and those inside it this factory where they have CDO's own. */
  static void of(EPackage ePackage) {
    if (ePackage.getEFactoryInstance().getClass() == CDOFactoryImpl.class) {
      ePackage.setEFactoryInstance(new ElementFactory(ePackage));
    }
    ePackage.getESubpackages().forEach(ElementFactory::of);
  }

  @Override
  public EObject create(EClass eClass) {
    return eClass.isAbstract() || eClass.getEPackage() != getEPackage()
        ? super.create(eClass) // which refuses it
        : basicCreate(eClass);
  }
}
