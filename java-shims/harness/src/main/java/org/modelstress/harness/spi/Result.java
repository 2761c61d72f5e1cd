package org.modelstress.harness.spi;

/** What an execution brought back: identifiers, a count, or nothing. */
public sealed interface Result permits Ids, Result.Count, Result.None {
  /** Nothing. */
  Result NONE = new None();

  /** How many identifiers or other items there are. */
  int items();

  /** A number of items, such as objects created, of which no identifiers came back. */
  record Count(int items) implements Result {
    /**
     * A count.
     *
     * @throws IllegalArgumentException when it is negative
     */
    public Count {
      if (items < 0) {
        throw new IllegalArgumentException("a count of " + items + " items");
      }
    }
  }

  /** Nothing at all. */
  record None() implements Result {
    @Override
    public int items() {
      return 0;
    }
  }
}
