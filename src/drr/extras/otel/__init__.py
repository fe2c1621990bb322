"""Export of runs as OpenTelemetry spans."""
