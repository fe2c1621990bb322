"""Figures in the form of Every Eval Ever (schema 0.3.0): a file for each system."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from uuid import UUID

from drr.app.board.listed import ListedSystem
from drr.env.files import file_name
from drr.env.json_object import JsonObject
from drr.eval.metrics import metrics
from drr.eval.metrics.base import Metric
from drr.eval.stats.intervals import VRow

SCHEMA = "0.3.0"
_COLLECTION = "deepresearch-retail"
_CERTAINTY = 0.95


def place_of(system: ListedSystem) -> str:
    """The path of its file. The name is a UUID made of the bundle, so equal bundles have equal files."""
    name = UUID(bytes=bytes.fromhex(_digest(system))[:16], version=4)
    return f"data/{_COLLECTION}/{_model(system)}/{name}.json"


def _digest(system: ListedSystem) -> str:
    from hashlib import sha256

    return sha256(f"{system.bundle.found.root}\0{system.key}".encode()).hexdigest()


def _model(system: ListedSystem) -> str:
    """`developer/model`, of the model that wrote most."""
    developer, *rest = re.split("[:/]", system.models[0] if system.models else "none")
    return (
        f"{file_name(developer)}/{file_name('_'.join(rest))}"
        if rest
        else f"{_COLLECTION}/{file_name(developer)}"
    )


def every_eval(system: ListedSystem) -> str:
    found, model, made_by = system.bundle.found, _model(system), system.made_by
    at = str(int(system.ended))
    details = {"bundle": str(found.root), "tier": found.tier, "signed_by": ", ".join(system.bundle.signers)}
    document = {
        "schema_version": SCHEMA,
        "evaluation_id": f"{_COLLECTION}.{system.key}/{model}/{at}",
        "evaluation_timestamp": at,
        "retrieved_timestamp": at,
        "source_metadata": {
            "source_name": system.bundle.name,
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
            "additional_details": details,
        },
        "eval_library": {"name": _COLLECTION, "version": made_by.rpartition(" ")[2]},
        "model_info": {
            "name": model.partition("/")[2],
            "id": model,
            "additional_details": {
                "deployment_type": "unknown",
                "model_availability": "unknown",
                "models": ", ".join(system.models),
                "variant": system.variant,
            },
        },
        "evaluation_results": list(_results(system)),
    }
    return json.dumps(document, indent=1, sort_keys=True, allow_nan=False) + "\n"


def _results(system: ListedSystem) -> Iterator[JsonObject]:
    judge = "none" if system.judge is None else system.judge["name"]
    config = {"agentic_eval_config": {"additional_details": {"architecture": system.architecture}}}
    dataset = {
        "dataset_name": system.set.title,
        "source_type": "other",
        "additional_details": {"questions_sha256": system.set.questions, "questions": str(system.set.asked)},
    }
    for name, metric in metrics().items():
        row = system.figures.get(name)
        if row is not None and row["value"] is not None:
            yield {
                "evaluation_result_id": f"{system.key}.{name}",
                "evaluation_name": system.set.title,
                "source_data": dataset,
                "metric_config": _config(metric, judge),
                "score_details": _score(row),
                "generation_config": {"generation_args": config},
            }


def _config(metric: Metric, judge: str) -> JsonObject:
    least, most = metric.range or (metric.least if metric.least is not None else "-Infinity", "Infinity")
    return {
        "evaluation_description": metric.explanation,
        "metric_id": f"{_COLLECTION}.{metric.name}",
        "metric_name": metric.label,
        "metric_unit": metric.unit or "points",
        "lower_is_better": metric.better == "lower",
        "score_type": "continuous",
        "min_score": least,
        "max_score": most,
        "additional_details": {"judge": judge if metric.judged else "code"},
    }


def _score(row: VRow) -> JsonObject:
    details = {"unscored": str(row["n_unscored"])}
    if row["ci_low"] is None or row["ci_high"] is None:
        return {"score": row["value"], "details": details}
    interval = {
        "lower": row["ci_low"],
        "upper": row["ci_high"],
        "confidence_level": _CERTAINTY,
        "method": row["method"],
    }
    return {
        "score": row["value"],
        "details": details,
        "uncertainty": {"confidence_interval": interval, "num_samples": row["n"]},
    }
