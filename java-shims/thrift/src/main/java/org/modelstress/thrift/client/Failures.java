package org.modelstress.thrift.client;

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

  private Failures() {}

  /** Rejected when the server says that it does not answer now, else an error. */
  static Outcome outcome(Exception failure) {
    boolean rejected =
        failure instanceof HawkInstanceNotRunning
            || failure instanceof HttpConnection.RefusedException refused
                && (refused.status() == UNAVAILABLE || refused.status() == TOO_MANY_REQUESTS);
    return Outcome.failed(rejected ? Outcome.Kind.REJECTED : Outcome.Kind.ERROR, sentence(failure));
  }

  private static String sentence(Exception failure) {
    if (failure instanceof FailedQuery e) {
      return "the query failed: " + brief(e.getReason());
    } else if (failure instanceof InvalidQuery e) {
      return "the query is not valid: " + brief(e.getReason());
    } else if (failure instanceof UnknownQueryLanguage e) {
      return "the server does not know the query language "
          + brief(e.getQueryLanguage())
          + "; see the options for engines";
    } else if (failure instanceof HawkInstanceNotFound e) {
      String name = brief(e.getInstanceName());
      return "the server has no instance " + name + "; see the option instance";
    } else if (failure instanceof HawkInstanceNotRunning e) {
      String name = brief(e.getInstanceName());
      return "the instance " + name + " is not running: stopped or being updated";
    } else if (failure instanceof TTransportException && failure.getCause() != null) {
      return failure.getMessage() + ": " + failure.getCause();
    } else if (failure instanceof TApplicationException) {
      return "the server failed: " + brief(failure.getMessage()) + hint(failure.getMessage());
    }
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }

  /** The first line, bounded: a server may send a whole stack trace. */
  private static String brief(String text) {
    String first = text == null ? "" : text.strip().lines().findFirst().orElse("").strip();
    if (first.isEmpty()) {
      return "(it does not say more)";
    }
    return first.length() <= LONGEST ? first : first.substring(0, LONGEST - 1) + "…";
  }

  /** A Hawk server does not say that it has no such query engine. */
  private static String hint(String message) {
    boolean opaque = message == null || message.startsWith("Internal error processing");
    return opaque ? "; its log says more, and see the options for engines: it may lack one" : "";
  }
}
