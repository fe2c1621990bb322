"""Registration of the OpenTelemetry extra."""

from __future__ import annotations

from typing import TYPE_CHECKING

from drr.contract import Extra

if TYPE_CHECKING:
    from drr.contract import Redactor, Spans, SpanTerms


def _spans(terms: SpanTerms, redact: Redactor) -> Spans:
    from drr.extras.otel.spans import OtelSpans

    return OtelSpans(terms, redact)


class Otel(Extra):
    name = "otel"
    spans = {"otel": _spans}


EXTRA = Otel()
