"""The life of one cell: server, clients, telemetry, faults, verification, samples."""
