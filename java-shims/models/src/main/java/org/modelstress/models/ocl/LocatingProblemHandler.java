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
    int offset = Math.max(0, Math.min(start - PREFIX, text.length()));
    String before = text.substring(0, offset);
    long line = before.chars().filter(c -> c == '\n').count() + 1;
    int column = offset - before.lastIndexOf('\n');
    // some phases give a position themselves, counted from the added line or not
    String bare = message.replaceFirst("^\\d+:\\d+(:\\d+:\\d+)? ", "");
    String located = "line " + line + ", column " + column + ": " + bare;
    super.handleProblem(severity, phase, located, context, start, end);
  }
}
