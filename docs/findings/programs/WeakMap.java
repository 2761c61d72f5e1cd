import java.util.concurrent.TimeUnit;
import org.eclipse.net4j.util.ref.ReferenceValueMap2;

/** Puts a value under a key whose earlier value was collected; the map forgets it at once. */
class WeakMap {
  public static void main(String[] args) throws Exception {
    ReferenceValueMap2<String, Object> map =
        args.length > 0 ? new ReferenceValueMap2.Strong<>() : new ReferenceValueMap2.Weak<>();
    map.put("element", new Object());
    for (int i = 0; i < 100 && map.get("element") != null; i++) {
      System.gc();
      TimeUnit.MILLISECONDS.sleep(10);
    }
    TimeUnit.MILLISECONDS.sleep(200); // the collected reference is queued a little later
    Object second = new Object();
    map.put("element", second);
    boolean lost = map.get("element") != second;
    System.out.println("put, then get: " + (lost ? "nothing there" : "the same object"));
    System.exit(lost ? 1 : 0);
  }
}
