package org.modelstress.models.ocl;

import org.eclipse.ocl.parser.OCLProblemHandler;

/** Puts line and column of the query's text before every message of the OCL parser. */
final class LocatingProblemHandler extends OCLProblemHandler {
  /** OCL parses a query as the body of an invariant, after a line of its own. */
  private static final int PREFIX = "inv:\n".length();

  private final String text;

  LocatingProblemHandler(String text) {
    super(null);
    this.text = text;
  }

  @Override
  public void handleProblem(
      Severity severity, Phase phase, String message, String context, int start, int end) {
    // some phases give a position themselves, counted from the added line or not
    String bare = message.replaceFirst("^\\d+:\\d+(:\\d+:\\d+)? ", "");
    String located = Position.at(text, start - PREFIX) + ": " + bare;
    super.handleProblem(severity, phase, located, context, start, end);
  }
}
