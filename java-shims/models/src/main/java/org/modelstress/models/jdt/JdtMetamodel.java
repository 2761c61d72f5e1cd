package org.modelstress.models.jdt;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.emf.common.util.URI;
import org.eclipse.emf.ecore.EAttribute;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EClassifier;
import org.eclipse.emf.ecore.EDataType;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EReference;
import org.eclipse.emf.ecore.EStructuralFeature;
import org.eclipse.emf.ecore.EcoreFactory;
import org.eclipse.emf.ecore.EcorePackage;
import org.eclipse.emf.ecore.xmi.impl.XMIResourceImpl;
import org.eclipse.jdt.core.dom.AST;
import org.eclipse.jdt.core.dom.ASTNode;
import org.eclipse.jdt.core.dom.ChildListPropertyDescriptor;
import org.eclipse.jdt.core.dom.ChildPropertyDescriptor;
import org.eclipse.jdt.core.dom.GuardedPattern;
import org.eclipse.jdt.core.dom.Modifier;
import org.eclipse.jdt.core.dom.Pattern;
import org.eclipse.jdt.core.dom.SimplePropertyDescriptor;
import org.eclipse.jdt.core.dom.StructuralPropertyDescriptor;

/**
 * The JDTAST metamodel, made from Eclipse JDT's own node classes and structural properties, with
 * the names of the metamodel of the GraBaTs 2009 contest: packages {@code Core}, {@code DOM} and
 * {@code PrimitiveTypes}. A feature that all classes below an abstract one have in common is a
 * feature of that one.
 */
public final class JdtMetamodel {
  /** Namespace of the three packages, followed by their names. */
  public static final String NS_URI = "http://modelstress.org/jdtast/";

  private static final EcorePackage ECORE = EcorePackage.eINSTANCE;

  private final EPackage core = newPackage("Core");
  private final EPackage dom = newPackage("DOM");
  private final EPackage primitiveTypes = newPackage("PrimitiveTypes");
  private final Map<Class<?>, EClass> classes = new TreeMap<>((a, b) -> name(a).compareTo(name(b)));
  private final Map<StructuralPropertyDescriptor, String> features = new HashMap<>();

  private JdtMetamodel() {
    for (Class<? extends ASTNode> type : nodeTypes().keySet()) {
      addClass(type);
    }
    nodeTypes().forEach(this::addProperties);
    classes.values().forEach(dom.getEClassifiers()::add);
    hoist(classes.get(ASTNode.class));
    addOwnFeatures();
    addCore();
    addPrimitiveTypes();
  }

  /** Makes it anew; every call gives equal packages. */
  public static JdtMetamodel generate() {
    return new JdtMetamodel();
  }

  /** The packages Core, DOM and PrimitiveTypes. */
  public List<EPackage> packages() {
    return List.of(core, dom, primitiveTypes);
  }

  /** The package of the syntax trees. */
  public EPackage dom() {
    return dom;
  }

  /** The package of what is around them, down to the compilation unit. */
  public EPackage core() {
    return core;
  }

  /** The class of a kind of nodes. */
  EClass classOf(ASTNode node) {
    return classes.get(node.getClass());
  }

  /** The feature in which a class keeps a property; null for the keyword of a modifier. */
  EStructuralFeature feature(EClass eClass, StructuralPropertyDescriptor property) {
    String name = features.get(property);
    return name == null ? null : eClass.getEStructuralFeature(name);
  }

  private static Map<Class<? extends ASTNode>, List<StructuralPropertyDescriptor>> nodeTypes() {
    // the static lists of the node classes are wrong or missing for several types
    AST ast = AST.newAST(JavaSource.LEVEL, false);
    Map<Class<? extends ASTNode>, List<StructuralPropertyDescriptor>> types = new LinkedHashMap<>();
    for (int type = 1; ; type++) {
      try {
        ASTNode.nodeClassForType(type);
      } catch (IllegalArgumentException e) {
        return types; // after the last one
      }
      ASTNode node = ast.createInstance(type);
      List<StructuralPropertyDescriptor> properties = new ArrayList<>();
      for (Object property : node.structuralPropertiesForType()) {
        properties.add((StructuralPropertyDescriptor) property);
      }
      types.put(node.getClass(), properties);
    }
  }

  private EClass addClass(Class<?> type) {
    EClass known = classes.get(type);
    if (known != null) {
      return known;
    }
    EClass eClass = EcoreFactory.eINSTANCE.createEClass();
    eClass.setName(name(type));
    eClass.setAbstract(java.lang.reflect.Modifier.isAbstract(type.getModifiers()));
    classes.put(type, eClass);
    if (type != ASTNode.class && !type.isInterface()) {
      eClass.getESuperTypes().add(addClass(type.getSuperclass()));
    }
    for (Class<?> implemented : type.getInterfaces()) {
      eClass.getESuperTypes().add(addClass(implemented));
    }
    return eClass;
  }

  /** A class's name; interfaces lose their I: IExtendedModifier, ExtendedModifier. */
  private static String name(Class<?> type) {
    return type.isInterface() ? type.getSimpleName().substring(1) : type.getSimpleName();
  }

  private void addProperties(Class<?> type, List<StructuralPropertyDescriptor> properties) {
    List<String> ids = properties.stream().map(StructuralPropertyDescriptor::getId).toList();
    for (StructuralPropertyDescriptor property : properties) {
      if (property == Modifier.KEYWORD_PROPERTY) {
        continue; // one Boolean feature for each keyword instead
      }
      EStructuralFeature feature = feature(property);
      feature.setName(featureName(property.getId(), ids));
      features.put(property, feature.getName());
      classes.get(type).getEStructuralFeatures().add(feature);
    }
  }

  private static String featureName(String id, List<String> ids) {
    if (id.equals("thrownExceptionTypes")) {
      return "thrownExceptions";
    }
    String plain = id.endsWith("2") ? id.substring(0, id.length() - 1) : id;
    return ids.contains(plain) ? id : plain;
  }

  private EStructuralFeature feature(StructuralPropertyDescriptor property) {
    if (property instanceof SimplePropertyDescriptor simple) {
      boolean flag = simple.getValueType() == boolean.class;
      return attribute(flag ? ECORE.getEBoolean() : ECORE.getEString());
    }
    EReference reference = EcoreFactory.eINSTANCE.createEReference();
    reference.setContainment(true);
    if (property instanceof ChildListPropertyDescriptor list) {
      reference.setUpperBound(EReference.UNBOUNDED_MULTIPLICITY);
      reference.setEType(addClass(list.getElementType()));
    } else {
      ChildPropertyDescriptor child = (ChildPropertyDescriptor) property;
      reference.setLowerBound(child.isMandatory() ? 1 : 0);
      // JDT's own descriptor says Javadoc
      boolean wrong = child == GuardedPattern.PATTERN_PROPERTY;
      reference.setEType(addClass(wrong ? Pattern.class : child.getChildType()));
    }
    return reference;
  }

  private static EAttribute attribute(EDataType type) {
    EAttribute attribute = EcoreFactory.eINSTANCE.createEAttribute();
    attribute.setEType(type);
    return attribute;
  }

  /** Moves features that all direct subclasses have up to the abstract class, deepest first. */
  private void hoist(EClass eClass) {
    List<EClass> below = new ArrayList<>();
    for (EClass each : classes.values()) {
      if (each.getESuperTypes().contains(eClass)) {
        hoist(each);
        below.add(each);
      }
    }
    if (!eClass.isAbstract() || below.size() < 2) {
      return;
    }
    for (EStructuralFeature first : List.copyOf(below.get(0).getEStructuralFeatures())) {
      List<EStructuralFeature> same = new ArrayList<>();
      for (EClass each : below) {
        EStructuralFeature other = each.getEStructuralFeature(first.getName());
        if (other != null
            && other.getEContainingClass() == each
            && other.getEType() == first.getEType()
            && other.getUpperBound() == first.getUpperBound()) {
          same.add(other);
        }
      }
      if (same.size() == below.size()) {
        int lower = same.stream().mapToInt(EStructuralFeature::getLowerBound).min().orElseThrow();
        same.forEach(each -> each.getEContainingClass().getEStructuralFeatures().remove(each));
        first.setLowerBound(lower);
        eClass.getEStructuralFeatures().add(first);
      }
    }
  }

  /** What JDT has no structural property for. */
  private void addOwnFeatures() {
    EClass modifier = classes.get(Modifier.class);
    for (String keyword : Keywords.all()) {
      add(modifier, Keywords.feature(keyword), attribute(ECORE.getEBoolean()));
    }
    EClass name = (EClass) dom.getEClassifier("Name");
    add(name, "fullyQualifiedName", attribute(ECORE.getEString()));
    EReference comments = EcoreFactory.eINSTANCE.createEReference();
    comments.setEType(dom.getEClassifier("Comment"));
    comments.setUpperBound(EReference.UNBOUNDED_MULTIPLICITY);
    add((EClass) dom.getEClassifier("CompilationUnit"), "comments", comments);
  }

  private static void add(EClass eClass, String name, EStructuralFeature feature) {
    feature.setName(name);
    eClass.getEStructuralFeatures().add(feature);
  }

  private void addCore() {
    EClass element = addCoreClass("IJavaElement", null);
    element.setAbstract(true);
    add(element, "elementName", attribute(ECORE.getEString()));
    EClass unit = addCoreClass("ICompilationUnit", element);
    EReference ast = contents(unit, "ast", dom.getEClassifier("CompilationUnit"));
    ast.setUpperBound(1);
    EClass fragment = addCoreClass("IPackageFragment", element);
    contents(fragment, "compilationUnits", unit);
    EClass root = addCoreClass("IPackageFragmentRoot", element);
    contents(root, "packageFragments", fragment);
    EClass project = addCoreClass("IJavaProject", element);
    contents(project, "packageFragmentRoots", root);
    EClass model = addCoreClass("IJavaModel", element);
    contents(model, "javaProjects", project);
  }

  private EClass addCoreClass(String name, EClass supertype) {
    EClass eClass = EcoreFactory.eINSTANCE.createEClass();
    eClass.setName(name);
    if (supertype != null) {
      eClass.getESuperTypes().add(supertype);
    }
    core.getEClassifiers().add(eClass);
    return eClass;
  }

  private static EReference contents(EClass eClass, String name, EClassifier type) {
    EReference reference = EcoreFactory.eINSTANCE.createEReference();
    reference.setEType(type);
    reference.setContainment(true);
    reference.setUpperBound(EReference.UNBOUNDED_MULTIPLICITY);
    add(eClass, name, reference);
    return reference;
  }

  /** The contest's types; the attributes have Ecore's, which every store keeps as what they are. */
  private void addPrimitiveTypes() {
    for (Class<?> type : List.of(Boolean.class, Integer.class, String.class)) {
      EDataType dataType = EcoreFactory.eINSTANCE.createEDataType();
      dataType.setName(type.getSimpleName());
      dataType.setInstanceClassName(type.getName());
      primitiveTypes.getEClassifiers().add(dataType);
    }
  }

  private static EPackage newPackage(String name) {
    EPackage ePackage = EcoreFactory.eINSTANCE.createEPackage();
    ePackage.setName(name);
    ePackage.setNsPrefix(name);
    ePackage.setNsURI(NS_URI + name);
    // the nsURI as resource address, as for generated packages
    new XMIResourceImpl(URI.createURI(ePackage.getNsURI())).getContents().add(ePackage);
    return ePackage;
  }
}
