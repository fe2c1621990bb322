"""A judged study as Arrow tables: its metrics, and the verdict of each cited address."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from drr.env.installation import check_installed

if TYPE_CHECKING:
    import pyarrow as pa


def metrics(study: str | Path) -> pa.Table:
    """Read every metric of a judged study as a table, a row for each variant and metric. `to_pandas()` makes a data frame.

    >>> table = drr.metrics("study")
    >>> table.column_names[:4]
    ['variant', 'metric', 'label', 'value']
    >>> {"fp", "tool_calls"} <= set(table["metric"].to_pylist())
    True
    """
    check_installed("pyarrow")
    import pyarrow as pa
    from drr.eval.metrics import metrics as known
    from drr.eval.metrics.document import study_document
    from drr.study.study import Study

    labels = {name: metric.label for name, metric in known().items()}
    with Study.read(Path(study)) as opened:
        document = study_document(opened)
    rows = [
        {"variant": variant, "metric": name, "label": labels.get(name), **value}
        for variant, values in document["metrics"].items()
        for name, value in values.items()
    ]
    numbers = {"value": pa.float64(), "ci_low": pa.float64(), "ci_high": pa.float64()}
    counts = {"n": pa.int64(), "n_unscored": pa.int64()}
    words = {name: pa.string() for name in ("variant", "metric", "label")}
    return pa.Table.from_pylist(rows, pa.schema({**words, **numbers, **counts, "method": pa.string()}))


def verdicts(study: str | Path, judge: str | None = None) -> pa.Table:
    """Read the verdict of each cited address on its claim, a row for each claim and address. `status` is of the address alone.

    >>> table = drr.verdicts("study")
    >>> {"answer", "claim", "url", "status", "needed", "supports"} <= set(table.column_names)
    True
    >>> table.num_rows > 0 and set(table["judge"].to_pylist()) == {"code"}
    True
    """
    check_installed("pyarrow")
    import pyarrow as pa
    from drr.eval.judging.read import choose_judging, citation_lines, read_judged
    from drr.eval.stats.citations import COLUMNS
    from drr.study.study import Study

    with Study.read(Path(study)) as opened:
        rows = list(citation_lines(read_judged(opened, choose_judging(opened, judge))))
    kinds = {"trial": pa.int64(), "needed": pa.bool_(), "supports": pa.bool_()}
    kinds |= dict.fromkeys(("passages", "spans"), pa.list_(pa.list_(pa.int64())))
    columns = {name: kinds.get(name, pa.string()) for name in COLUMNS}
    return pa.Table.from_pylist(rows, pa.schema(columns))
