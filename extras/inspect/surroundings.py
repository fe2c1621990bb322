"""What Inspect puts around the agent of a sample, for an agent that answers here: a model where none is named, a store, a transcript.

Agents of Inspect run within its evaluations only, of which a process may hold one at a time. The names below are not of its public face:
where a version has others, it says so.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING
from uuid import uuid4

from drr.env.errors import DrrError

if TYPE_CHECKING:
    from inspect_ai.model import Model

KNOWN = "0.3.285"


@asynccontextmanager
async def sample_of(question: str, model: Model) -> AsyncIterator[None]:
    """Of this task and of what it starts: questions that are answered side by side share none of it."""
    try:
        from inspect_ai.dataset import Sample
        from inspect_ai.log._samples import active_sample
        from inspect_ai.log._transcript import Transcript, init_transcript
        from inspect_ai.model import GenerateConfig
        from inspect_ai.model._model import (
            init_active_model,
            init_model_roles,
            init_model_usage,
            init_role_usage,
        )
        from inspect_ai.util import Store
        from inspect_ai.util._store import init_subtask_store

        transcript, name = Transcript(), uuid4().hex
        init_transcript(transcript)
        init_subtask_store(Store())
        init_active_model(model, GenerateConfig())
        init_model_roles({})
        init_model_usage()
        init_role_usage()
        sample = active_sample(
            task="drr",
            log_location="",
            model=str(model),
            sample=Sample(input=question, id=name),
            epoch=1,
            message_limit=None,
            token_limit=None,
            cost_limit=None,
            time_limit=None,
            working_limit=None,
            fails_on_error=True,
            transcript=transcript,
            eval_id=name,
            sample_uuid=name,
        )
    except (ImportError, TypeError) as error:
        raise DrrError(
            f"inspect-ai {version('inspect-ai')} cannot be run here ({error}); {KNOWN} can: pip install inspect-ai=={KNOWN}"
        ) from error
    async with sample:
        yield
