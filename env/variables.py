"""The environment variables that somebody may set: `drr env doctor`, README and docs/settings.md name these and no others."""

from __future__ import annotations

from collections.abc import Mapping

VARIABLES: Mapping[str, str] = {
    "ANTHROPIC_API_KEY": "key for models `anthropic:NAME`",
    "OPENAI_API_KEY": "key for models `openai:NAME`",
    "SERPER_API_KEY": "key for the live web, `--web serper`",
    "DRR_MODEL": "default model; each setting has a `DRR_NAME`",
    "OTEL_EXPORTER_OTLP_HEADERS": "token for the collector of `--otel`",
    "HTTPS_PROXY": "proxy for models",
    "XDG_CONFIG_HOME": "of your `drr/settings.toml`, else ~/.config",
    "XDG_CACHE_HOME": "of kept vectors and shops, else ~/.cache",
    "JAVA_HOME": "the JDK of the test servers",
    "NO_COLOR": "set: no colour on a terminal",
}
"""Each with one line."""
