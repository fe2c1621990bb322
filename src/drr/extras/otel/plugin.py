"""Registration of the OpenTelemetry extra."""

from __future__ import annotations

from drr import contract


def _spans(terms: contract.SpanTerms, redact: contract.Redactor) -> contract.Spans:
    from drr.extras.otel.spans import OtelSpans

    return OtelSpans(terms, redact)


class Otel(contract.Extra):
    name = "otel"
    spans = {"otel": _spans}


EXTRA = Otel()
