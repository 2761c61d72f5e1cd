package org.modelstress.thrift.client;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.thrift.TApplicationException;
import org.apache.thrift.transport.TTransportException;
import org.modelstress.harness.spi.Outcome;
import org.modelstress.hawk.api.FailedQuery;
import org.modelstress.hawk.api.HawkInstanceNotFound;
import org.modelstress.hawk.api.HawkInstanceNotRunning;
import org.modelstress.hawk.api.InvalidQuery;
import org.modelstress.hawk.api.UnknownQueryLanguage;

/** What an exception out of a Thrift client means. */
final class Failures {
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int UNAVAILABLE = 503;
  private static final int LONGEST = 300;

  /** A Hawk server that updates its index says so in a FailedQuery. */
  private static final String UPDATING = "the indexer is not in the RUNNING state";

  /** Exceptions of Hawk's Java code, as they stand before their message. */
  private static final Pattern CLASS =
      Pattern.compile("^(?:org\\.(?:hawk|eclipse|apache)[\\w.]+: )+");

  /** A Hawk server sends the failure of an asynchronous query as text. */
  private static final Pattern ASYNCHRONOUS =
      Pattern.compile("(?:FailedQuery|InvalidQuery)\\(reason:(.*)\\)", Pattern.DOTALL);

  /** All that a Hawk server says about a language that it does not know. */
  private static final String NO_ENGINE = "java.util.NoSuchElementException";

  private Failures() {}

  /** Rejected when the server says that it does not answer now, else an error. */
  static Outcome outcome(Exception failure) {
    boolean rejected =
        failure instanceof HawkInstanceNotRunning
            || failure instanceof FailedQuery failed && isUpdating(failed)
            || failure instanceof HttpConnection.RefusedException refused
                && (refused.status() == UNAVAILABLE || refused.status() == TOO_MANY_REQUESTS);
    return Outcome.failed(rejected ? Outcome.Kind.REJECTED : Outcome.Kind.ERROR, sentence(failure));
  }

  private static boolean isUpdating(FailedQuery failure) {
    return failure.isSetReason() && failure.getReason().contains(UPDATING);
  }

  private static String sentence(Exception failure) {
    if (failure instanceof FailedQuery e) {
      return "the query failed: " + brief(e.getReason()) + hint(e.getReason());
    } else if (failure instanceof InvalidQuery e) {
      return "the query is not valid: " + brief(e.getReason());
    } else if (failure instanceof UnknownQueryLanguage e) {
      return "the server does not know the query language "
          + brief(e.getQueryLanguage())
          + "; see the options for engines";
    } else if (failure instanceof HawkInstanceNotFound e) {
      return "the server has no instance "
          + name(e.getInstanceName())
          + "; see the option instance";
    } else if (failure instanceof HawkInstanceNotRunning e) {
      String name = name(e.getInstanceName());
      return "the instance " + name + " is not running: stopped or being updated";
    } else if (failure instanceof TTransportException && failure.getCause() != null) {
      return failure.getMessage() + ": " + failure.getCause();
    } else if (failure instanceof TApplicationException) {
      return "the server failed: " + brief(failure.getMessage()) + hint(failure.getMessage());
    }
    return failure.getMessage() == null ? failure.toString() : brief(failure.getMessage());
  }

  /** The field is optional. */
  private static String name(String instance) {
    return instance == null ? "of that name" : brief(instance);
  }

  /**
   * The first line that says something, bounded: a server may send a whole stack trace, or begin
   * with what comes next.
   */
  private static String brief(String text) {
    String said = text == null ? "" : text.strip();
    Matcher asynchronous = ASYNCHRONOUS.matcher(said);
    if (asynchronous.matches()) {
      said = asynchronous.group(1);
    }
    String first = "";
    for (String line : CLASS.matcher(said).replaceFirst("").lines().toList()) {
      first = (first + " " + line.strip()).strip();
      if (!first.isEmpty() && !first.endsWith(":")) {
        break;
      }
    }
    if (first.isEmpty()) {
      return "(it does not say more)";
    }
    return first.length() <= LONGEST ? first : first.substring(0, LONGEST - 1) + "…";
  }

  /** A Hawk server does not say in so many words that it has no such query engine. */
  private static String hint(String message) {
    boolean opaque =
        message == null
            || message.startsWith("Internal error processing")
            || message.endsWith(NO_ENGINE);
    return opaque ? "; its log says more, and see the options for engines: it may lack one" : "";
  }
}
