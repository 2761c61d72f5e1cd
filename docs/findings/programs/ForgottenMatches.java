import java.util.Collection;
import org.eclipse.emf.ecore.EClass;
import org.eclipse.emf.ecore.EPackage;
import org.eclipse.emf.ecore.EcoreFactory;
import org.eclipse.emf.ecore.resource.Resource;
import org.eclipse.emf.ecore.resource.impl.ResourceImpl;
import org.eclipse.epsilon.emc.emf.InMemoryEmfModel;
import org.eclipse.epsilon.eol.exceptions.EolRuntimeException;
import org.eclipse.epsilon.epl.EplModule;
import org.eclipse.epsilon.epl.dom.Pattern;
import org.eclipse.epsilon.epl.execute.PatternMatch;
import org.eclipse.epsilon.epl.execute.model.PatternMatchModel;

/** Matches a pattern that every pair of elements satisfies, and counts pairs and matches. */
class ForgottenMatches {
  private static final int ELEMENTS = 600;

  public static void main(String[] args) throws Exception {
    EClass thing = EcoreFactory.eINSTANCE.createEClass();
    thing.setName("Thing");
    EPackage things = EcoreFactory.eINSTANCE.createEPackage();
    things.setName("things");
    things.setNsURI("urn:things");
    things.setNsPrefix("things");
    things.getEClassifiers().add(thing);
    Resource resource = new ResourceImpl();
    for (int i = 0; i < ELEMENTS; i++) {
      resource.getContents().add(things.getEFactoryInstance().create(thing));
    }
    Counting counting = new Counting();
    counting.parse("pattern Pair a : Thing, b : Thing {}");
    counting
        .getContext()
        .getModelRepository()
        .addModel(new InMemoryEmfModel("M", resource, things));
    PatternMatchModel result = (PatternMatchModel) counting.execute();
    int told = result.getMatches().size();
    System.out.println(
        ELEMENTS * ELEMENTS
            + " pairs, "
            + counting.found
            + " matches found, "
            + told
            + " in the result");
    int asked = args.length > 0 ? counting.found : told;
    System.exit(asked == ELEMENTS * ELEMENTS ? 0 : 1);
  }

  /** Counts the matches before they go into the result's set. */
  private static final class Counting extends EplModule {
    int found;

    @Override
    public Collection<PatternMatch> match(Pattern pattern) throws EolRuntimeException {
      Collection<PatternMatch> matches = super.match(pattern);
      found += matches.size();
      return matches;
    }
  }
}
