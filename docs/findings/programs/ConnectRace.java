import java.util.concurrent.TimeUnit;
import org.eclipse.net4j.util.event.IListener;
import org.eclipse.net4j.util.lifecycle.Lifecycle;
import org.eclipse.net4j.util.lifecycle.LifecycleUtil;

/** Waits for a connector that becomes active between waitForActive's look and its listener. */
class ConnectRace {
  public static void main(String[] args) {
    boolean early = args.length > 0;
    Lifecycle connector =
        new Lifecycle() {
          @Override
          public void addListener(IListener listener) {
            activate(); // what the other side's answer does in another thread
            super.addListener(listener);
          }
        };
    if (early) {
      connector.activate();
    }
    long begun = System.nanoTime();
    LifecycleUtil.waitForActive(connector, 10_000);
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
    System.out.println("active: " + connector.isActive() + ", waited " + millis + " ms");
    System.exit(millis > 5_000 ? 1 : 0);
  }
}
