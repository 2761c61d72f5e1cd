"""From a study and a profile to cells and the order in which they run. Runs nothing."""
