package org.modelstress.hawk.driver;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.thrift.TException;
import org.modelstress.harness.samples.IdsFile;
import org.modelstress.harness.server.ConsoleStreams;
import org.modelstress.harness.server.Ending;
import org.modelstress.harness.server.ServerException;
import org.modelstress.harness.server.ServerException.Exit;
import org.modelstress.harness.spi.DriverException;
import org.modelstress.harness.spi.Endpoint;
import org.modelstress.harness.spi.Options;
import org.modelstress.hawk.api.HawkQueryOptions;
import org.modelstress.models.ModelException;
import org.modelstress.models.ModelSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ids}: writes the id map of a server that has indexed a model already. */
@Command(name = "ids", description = "Writes the id map of a running Hawk server.")
public final class IdsCommand implements Callable<Integer> {
  private static final long MILLIS = 1000;

  @Option(names = "--endpoint", required = true, paramLabel = "URL")
  private URI endpoint;

  @Option(names = "--model", required = true, paramLabel = "FILE")
  private Path model;

  @Option(names = "--out", required = true, paramLabel = "FILE")
  private Path out;

  @Option(names = "--attribute", description = "Tells elements apart; by default chosen.")
  private String attribute;

  @Option(names = "--option", description = "An option of the driver, NAME=VALUE.")
  private Map<String, String> options = new HashMap<>();

  @Option(names = "--timeout-s", defaultValue = "300", paramLabel = "SECONDS")
  private long timeoutSeconds;

  private IdsCommand() {}

  /** Runs the program and ends the process. */
  public static void run(String[] args) {
    ConsoleStreams streams = ConsoleStreams.take();
    CommandLine command = new CommandLine(new IdsCommand());
    command.setParameterExceptionHandler(
        (e, given) -> {
          streams.lastWord(e.getMessage() + "; usage: ids --endpoint URL --model FILE --out FILE");
          return Exit.CONFIG.code();
        });
    command.setExecutionExceptionHandler(
        (e, failed, parsed) -> {
          streams.lastWord(e.getMessage() == null ? e.toString() : e.getMessage());
          return e instanceof ServerException known ? known.exit().code() : Exit.INTERNAL.code();
        });
    Ending.exit(command.execute(args));
  }

  @Override
  public Integer call() throws ServerException {
    IdMap map = new IdMap(read().roots());
    String key = attribute == null ? map.identifyingAttribute() : attribute;
    try (HawkDriver driver = new HawkDriver()) {
      if (key == null) {
        map.align(elements(driver, true));
      } else {
        map.match(elements(driver, false), key);
      }
      write(map.ids());
    } catch (DriverException e) {
      throw new ServerException(Exit.INTERNAL, e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw new ServerException(
          Exit.MODEL, endpoint + " has another model than " + model + ": " + e.getMessage(), e);
    } catch (TException e) {
      throw new ServerException(Exit.INTERNAL, endpoint + ": " + HawkDriver.sentence(e), e);
    } catch (IOException e) {
      throw new ServerException(Exit.INTERNAL, out + " cannot be written: " + e, e);
    }
    return 0;
  }

  private ModelSource read() throws ServerException {
    try {
      return ModelSource.read(model);
    } catch (ModelException e) {
      throw new ServerException(Exit.MODEL, e.getMessage(), e);
    }
  }

  /**
   * A Hawk server nests contained elements only where it sends references, and fails on some
   * derived attributes unless it sends them.
   */
  private List<StoreElement> elements(HawkDriver driver, boolean nested)
      throws DriverException, TException {
    HawkQueryOptions asked =
        new HawkQueryOptions()
            .setRepositoryPattern("*")
            .setFilePatterns(List.of("*"))
            .setIncludeAttributes(true)
            .setIncludeDerived(true)
            .setIncludeReferences(nested)
            .setIncludeContained(nested)
            .setIncludeNodeIDs(true);
    Options given = new Options(timeoutSeconds * MILLIS, new HashMap<>(options));
    return StoreElement.of(driver.model(new Endpoint(endpoint), given, asked));
  }

  private void write(List<String> ids) throws IOException {
    IdsFile.Writer writer = IdsFile.ofStrings(out);
    try (writer) {
      for (int i = 0; i < ids.size(); i++) {
        writer.put(ids.get(i), i);
      }
    }
  }
}
