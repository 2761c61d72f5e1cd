"""The scoreboard: pages about a profile's space of cells, served on loopback or written."""
