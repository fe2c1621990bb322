"""Registration of the OpenTelemetry extra."""

from __future__ import annotations

from drr.env.plugins import ExtraDoor

EXTRA = ExtraDoor(name="otel", spans={"otel": "drr.extras.otel.spans:OtelSpans"})
