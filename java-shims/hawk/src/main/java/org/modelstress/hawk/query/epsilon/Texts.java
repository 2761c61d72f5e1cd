package org.modelstress.hawk.query.epsilon;

import java.util.Formatter;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.modelstress.hawk.query.CancelledSignal;

/**
 * Operations of strings as Java and Epsilon have them, but for two things: no result is longer than
 * {@link #LONGEST}, and what may take long looks whether the query was cancelled.
 */
final class Texts {
  /** Characters. */
  static final int LONGEST = 4_000_000;

  /** Larger widths and precisions of {@code format} than this many digits are refused. */
  private static final Pattern HUGE_WIDTH = Pattern.compile("\\d{7,}");

  /** Comparisons of characters after which a search looks whether it was cancelled. */
  private static final long QUICK = 100_000_000;

  private static final int STEPS_BETWEEN_LOOKS = 1024;

  private final BooleanSupplier cancelled;

  /** For one evaluation, which says whether it was cancelled. */
  Texts(BooleanSupplier cancelled) {
    this.cancelled = cancelled;
  }

  /** A text would be too long, or never end. */
  static final class TooLongException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooLongException() {
      super("a text has at most " + LONGEST + " characters");
    }
  }

  private static <T extends CharSequence> T bounded(T text) {
    if (text.length() > LONGEST) {
      throw new TooLongException();
    }
    return text;
  }

  /** One step of something that may take long. */
  void step() {
    if (cancelled.getAsBoolean()) {
      throw CancelledSignal.instance();
    }
  }

  /** Epsilon's: whole paddings, until the text is long enough. */
  String pad(String text, int length, String padding, boolean right) {
    if (length <= text.length()) {
      return text;
    }
    if (length > LONGEST || padding.isEmpty()) {
      throw new TooLongException();
    }
    int times = (length - text.length() + padding.length() - 1) / padding.length();
    String all = repeat(padding, times);
    return right ? text + all : all + text;
  }

  String repeat(String text, int times) {
    if ((long) text.length() * Math.max(times, 0) > LONGEST) {
      throw new TooLongException();
    }
    return text.repeat(times);
  }

  String concat(String text, String other) {
    if ((long) text.length() + other.length() > LONGEST) {
      throw new TooLongException();
    }
    return text.concat(other);
  }

  String format(String pattern, Object... arguments) {
    if (HUGE_WIDTH.matcher(pattern).find()) {
      throw new TooLongException();
    }
    StringBuilder out = new StringBuilder();
    try (Formatter formatter = new Formatter(new Bounded(out), Locale.getDefault())) {
      return formatter.format(pattern, arguments).toString();
    }
  }

  boolean matches(String text, String regex) {
    return matcher(text, regex).matches();
  }

  private Matcher matcher(String text, String regex) {
    return Pattern.compile(regex).matcher(new Watched(text));
  }

  String replaceAll(String text, String regex, String with, boolean once) {
    Matcher matcher = matcher(text, regex);
    StringBuilder out = new StringBuilder();
    while (matcher.find()) {
      step();
      matcher.appendReplacement(bounded(out), with);
      if (once) {
        break;
      }
    }
    return bounded(matcher.appendTail(out)).toString();
  }

  String replaceLiteral(String text, String old, String with) {
    return replaceAll(text, Pattern.quote(old), Matcher.quoteReplacement(with), false);
  }

  String[] split(String text, String regex, int limit) {
    return Pattern.compile(regex).split(new Watched(text), limit);
  }

  /** The first or last place of a part from a position on; -1 if there is none. */
  int indexOf(String text, String part, int from, boolean last) {
    if ((long) text.length() * part.length() < QUICK) {
      return last ? text.lastIndexOf(part, from) : text.indexOf(part, from);
    }
    int most = text.length() - part.length();
    int step = last ? -1 : 1;
    for (int at = last ? Math.min(from, most) : Math.max(from, 0);
        at >= 0 && at <= most;
        at += step) {
      step();
      if (text.startsWith(part, at)) {
        return at;
      }
    }
    return -1;
  }

  /** A text that ends whatever reads it, when the query was cancelled. */
  private final class Watched implements CharSequence {
    private final String text;
    private int reads;

    Watched(String text) {
      this.text = text;
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public char charAt(int index) {
      if (++reads % STEPS_BETWEEN_LOOKS == 0) {
        step();
      }
      return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return text.substring(start, end);
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** Takes no more than a text may have. */
  private record Bounded(StringBuilder out) implements Appendable {
    @Override
    public Appendable append(CharSequence text) {
      bounded(out.append(text));
      return this;
    }

    @Override
    public Appendable append(CharSequence text, int start, int end) {
      bounded(out.append(text, start, end));
      return this;
    }

    @Override
    public Appendable append(char c) {
      bounded(out.append(c));
      return this;
    }

    @Override
    public String toString() {
      return out.toString();
    }
  }
}
