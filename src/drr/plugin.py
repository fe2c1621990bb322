"""Names of `drr.app` that papers and extras may import, each loaded on first use.

They may import no other name of `drr.app`. The table in `docs/architecture.md` says which other packages are open to them.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # isort: off
    from drr.app.commands.table import CommandRow as CommandRow
    from drr.app.console import add_setting_options as add_setting_options, progress_of as progress_of
    from drr.app.console import print_result as print_result, settings_of as settings_of
    from drr.app.console import write_lines as write_lines
    from drr.app.study.outcome import add_unit_options as add_unit_options, check_run as check_run
    from drr.app.study.outcome import conclude as conclude, config_of as config_of
    from drr.app.study.outcome import keep_questions as keep_questions, run_units as run_units
    from drr.app.options import positive_int as positive_int
    from drr.app.study.terms import Count as Count, Options as Options, option as option
    from drr.app.study.terms import UnitTerms as UnitTerms
    from drr.app.notices import notice as notice, tidy_end as tidy_end
    from drr.app.terminal import Column as Column, flowed as flowed, number as number, plain as plain
    from drr.app.terminal import screen as screen, table as table, with_interval as with_interval
    from drr.app.commands.reviewer import moment as moment, review_at_terminal as review_at_terminal
    from drr.app.commands.reviewer import reviewer_of as reviewer_of, say as say
    from drr.app.cli import output_of as output_of
    from drr.app.models.setup import models_of as models_of, prompts_of as prompts_of
    from drr.app.judge.desk import (
        desk_of as desk_of,
        need_judge as need_judge,
        settings_beside as settings_beside,
    )
    from drr.app.study.specs import AnswerSpec as AnswerSpec, split_record as split_record
    from drr.app.study.trust import found_shop as found_shop, is_own_shop as is_own_shop
    from drr.app.study.trust import offer_shop as offer_shop, remember_shop as remember_shop
    from drr.app.study.trust import remember_study as remember_study
    from drr.app.study.spans import SpanTerms as SpanTerms, Spans as Spans
    from drr.app.study.person import NOBODY as NOBODY
    from drr.app.study.study_plan import PERSONS as PERSONS, RECALLED as RECALLED
    from drr.app.study.person import PersonFacts as PersonFacts, MemoryForecastRow as MemoryForecastRow
    from drr.app.study.study_plan import StudyPlan as StudyPlan
    from drr.app.papers.steps import PaperOption as PaperOption, Reproduction as Reproduction, Size as Size
    from drr.app.papers.steps import Step as Step
    from drr.app.report.of_papers import MetricForm as MetricForm, ReportFigure as ReportFigure
    from drr.app.report.of_papers import ReportParts as ReportParts
    from drr.app.report.material import ReportData as ReportData
    from drr.app.report.tables import NOT_MEASURED as NOT_MEASURED
    from drr.app.report.tables import Cell as Cell, Heading as Heading, Table as Table
    from drr.app.report.tables import metric_cells as metric_cells, rows_under as rows_under
    from drr.app.report.tables import metric_headings as metric_headings
    from drr.app.report.differences import floor_cells as floor_cells, floor_notes as floor_notes
    from drr.app.report.differences import greyed as greyed
    from drr.app.report.colours import PALETTE as PALETTE
    from drr.app.viewer.of_papers import Inserts as Inserts, StudyPart as StudyPart, View as View
    from drr.app.viewer.render import draw as draw, part as part
    from drr.app.viewer.render import report_html as report_html
    from drr.app.viewer.entries import EntryReader as EntryReader
    from drr.app.viewer.model import Passage as Passage, ReportView as ReportView, ShownEntry as ShownEntry
    from drr.app.viewer.judges import ShownSide as ShownSide
    from drr.app.viewer.highlight import MarkedSpan as MarkedSpan, marked_html as marked_html
    from drr.app.pages.frame import Frame as Frame, FramePlace as FramePlace, banner_of as banner_of
    from drr.app.viewer.static import viewer_folder as viewer_folder
    from drr.app.pages.serve import STATIC as STATIC, PatientProtocol as PatientProtocol, guarded as guarded
    from drr.app.annotate.annotation_plan import BlindPair as BlindPair, ShownCriterion as ShownCriterion
    from drr.app.training.episode import action_of as action_of, briefing as briefing
    from drr.app.training.episode import given_tools as given_tools, instructions_of as instructions_of
    from drr.app.training.episode import StepInfo as StepInfo

_PLACES = {
    # Commands and their output. A module of a command has `build(parser)` and `run(arguments)`; a row of the paper's table leads to it.
    #     def build(parser):
    #         add_unit_options(parser, "prompts")
    #
    #     def run(arguments):
    #         print_result(arguments, {"model": settings_of(arguments).settings.model}, "what people read")
    #         return 0
    "CommandRow": "commands.table",  # a command: its words, its module, its line in the help
    "add_setting_options": "console",  # adds options for settings of the same names
    "add_unit_options": "study.outcome",  # adds the options of a command whose units ask models
    "positive_int": "options",  # the type of an option that is a number above 0
    "settings_of": "console",  # all settings, those of the command line first
    "progress_of": "console",  # how far the work is, on standard error
    "print_result": "console",  # prints the result: lines, or one document with `--json`
    "write_lines": "console",  # writes JSON lines into a file that the user named
    "notice": "notices",  # says a sentence beside the result
    "tidy_end": "notices",  # inside, SIGTERM unwinds as Ctrl-C does
    "Column": "terminal",  # a column that a narrow terminal leaves out or wraps
    "table": "terminal",  # a table as wide as the terminal
    "flowed": "terminal",  # lines wrapped at the terminal's width
    "plain": "terminal",  # a stranger's text on one line, without what a terminal obeys
    "screen": "terminal",  # the terminal's width; `None` where it does not matter
    "number": "terminal",  # a number with so many digits, or a dash
    "with_interval": "terminal",  # a figure with its interval and its count
    "reviewer_of": "commands.reviewer",  # the name of the person who reviews
    "review_at_terminal": "commands.reviewer",  # asks that person row by row, and counts the decisions
    "say": "commands.reviewer",  # prints at once, before an answer is awaited
    "moment": "commands.reviewer",  # the time now, to the second
    "output_of": "cli",  # runs another command of `drr` and returns what it printed
    # Settings and models.
    #     models, prompts = models_of(settings), prompts_of(settings, "papers/toy")
    "models_of": "models.setup",  # the model of every role, checked without a call
    "prompts_of": "models.setup",  # the prompts of a folder, with the user's in their place
    "settings_beside": "judge.desk",  # settings of the command line, else those that the study was made with
    # Running units of a study.
    #     with Study.create(folder, config) as study:
    #         check_run(arguments, models, ["writer"], study)
    #         summary = run_units(arguments, study, units, work, models, "writing")
    #     return conclude(summary, folder, command="papers toy")
    "UnitTerms": "study.terms",  # bounds of a run that no command line gives
    "check_run": "study.outcome",  # refuses calls that would fail and bounds that cannot be counted
    "run_units": "study.outcome",  # computes the missing units and closes the connections
    "conclude": "study.outcome",  # says how a run ended and returns the exit code
    "config_of": "study.outcome",  # the configuration of a study of answers
    "keep_questions": "study.outcome",  # adds questions to a study
    "AnswerSpec": "study.specs",  # what one unit of answers is asked
    "split_record": "study.specs",  # an answer as the ledger keeps it
    "found_shop": "study.trust",  # where the shop that a study names lies now
    "is_own_shop": "study.trust",  # whether this user vouched for a shop
    "offer_shop": "study.trust",  # asks whether a shop that a study names may be used
    "remember_shop": "study.trust",  # remembers a shop that this user named
    "remember_study": "study.trust",  # remembers what this user named for a new study
    "Spans": "study.spans",  # where units, calls and tools are told as spans
    "SpanTerms": "study.spans",  # where the spans go, and whether with texts
    # Persons behind the questions of a run.
    #     class DogOwners(PersonFacts):
    #         def given(self, setting, person_id, query):
    #             return Given(setting, "buys for a dog")
    "PersonFacts": "study.person",  # what a study's settings tell agents of a person; a paper's class fills it
    "PERSONS": "study.study_plan",  # the study's own file of persons
    "RECALLED": "study.study_plan",  # the study's own file of what memories recalled
    "MemoryForecastRow": "study.person",  # what a memory will ask, in a forecast
    "NOBODY": "study.person",  # the word for a memory that asks no model
    "StudyPlan": "study.study_plan",  # what a study is asked for
    # Judging.
    #     desk = desk_of(settings, models, shop)
    #     class ToneOptions(Options):
    #         rounds: Count | None = option("units", "how often each is scored (default 3)", "N")
    "Options": "study.terms",  # options of `drr judge` for the paper's tasks
    "option": "study.terms",  # one of them: its help, and what it decides
    "Count": "study.terms",  # the type of a whole number above 0
    "need_judge": "judge.desk",  # refuses where no judge is named
    "desk_of": "judge.desk",  # the judge with its prompts, as tasks of judging are given it
    # Commands that reproduce a paper.
    #     def steps(asked):
    #         yield asked.answers(["--shop", asked.shop, "--variants", "react"])
    #         yield from asked.judging(["--what", "toy"])
    "Reproduction": "papers.steps",  # what was asked for, and the steps that every paper has
    "Step": "papers.steps",  # one command
    "PaperOption": "papers.steps",  # an option of the paper's own
    "Size": "papers.steps",  # a size by rules and as in the paper
    # Tables and parts of a report.
    #     def tone(material):
    #         yield Table("tone", "Tone", [Heading("calm")], [("react", [Cell(3.0)])], banner=material.banner)
    #
    #     PARTS = ReportParts(tables=tone)
    "ReportParts": "report.of_papers",  # all that a paper adds to a report
    "MetricForm": "report.of_papers",  # the form of a table of the paper's metrics
    "ReportFigure": "report.of_papers",  # a figure and what draws it
    "ReportData": "report.material",  # the study as a report reads it
    "Table": "report.tables",  # a table with its notes
    "Heading": "report.tables",  # the head of a column, and its explanation
    "Cell": "report.tables",  # a value with its interval, digits and test
    "rows_under": "report.tables",  # rows of cells from fields, of which each column shows one
    "NOT_MEASURED": "report.tables",  # the words for what nobody measured
    "metric_headings": "report.tables",  # the columns of some metrics
    "metric_cells": "report.tables",  # the cells of a row under them
    "floor_cells": "report.differences",  # how far each column sways by itself
    "floor_notes": "report.differences",  # the notes that explain it
    "greyed": "report.differences",  # a difference within that sway, in grey
    "PALETTE": "report.colours",  # the colours of systems in figures
    # Pages of the viewer.
    #     class TonePages(StudyPart):
    #         def on_index(self, entries):
    #             return {"told": part("toy/tone.html", count=len(entries))}
    "StudyPart": "viewer.of_papers",  # the paper's part in the pages of a study
    "Inserts": "viewer.of_papers",  # HTML by the slot that it fills
    "part": "viewer.render",  # draws one of the paper's templates
    "draw": "viewer.render",  # draws a page by one of the paper's templates
    "EntryReader": "viewer.entries",  # reads a study for pages
    "View": "viewer.of_papers",  # reads an answer as its page shows it
    "ShownEntry": "viewer.model",  # an answer in the index
    "ReportView": "viewer.model",  # an answer on its page
    "Passage": "viewer.model",  # a passage, and what of it is marked
    "ShownSide": "viewer.judges",  # one of several answers side by side
    "report_html": "viewer.render",  # a report as safe HTML with its claims marked
    "banner_of": "pages.frame",  # the warning where rules wrote or judged
    "MarkedSpan": "viewer.highlight",  # a stretch of a text that is marked
    "marked_html": "viewer.highlight",  # a text as safe HTML with such stretches
    "Frame": "pages.frame",  # the frame of pages beside a study's own
    "FramePlace": "pages.frame",  # a link in that frame
    "viewer_folder": "viewer.static",  # opens a folder that pages are written into
    "STATIC": "pages.serve",  # the folder of scripts and styles
    "guarded": "pages.serve",  # lets only this user's browser see a site
    "PatientProtocol": "pages.serve",  # the server's protocol, which waits for nobody for ever
    # Annotation.
    #     BlindPair(id="p-1", criteria=[ShownCriterion(id="c", dimension="d", text="t", explanation="e")], ...)
    "BlindPair": "annotate.annotation_plan",  # what a person is shown without its author
    "ShownCriterion": "annotate.annotation_plan",  # a criterion that a person scores by
    # The training environment. `Environment` and `Observation` are names of `drr` itself.
    #     seen, reward, done, info = env.step(action_of("product_catalog_search", {"query": "feeder"}))
    "instructions_of": "training.episode",  # what an agent is told where everything is a tool
    "given_tools": "training.episode",  # the tools of an episode with that which hands in
    "action_of": "training.episode",  # the action that a call of a tool stands for
    "briefing": "training.episode",  # the question with what of the person is given
    "StepInfo": "training.episode",  # what a step tells beside the reward
}
"""Module of `drr.app` that defines each name."""

if not TYPE_CHECKING:  # a checker would take any name for one that is offered

    def __getattr__(name: str) -> object:
        from importlib import import_module

        if name not in _PLACES:
            raise AttributeError(f"module 'drr.plugin' has no attribute {name!r}")
        return getattr(import_module(f"drr.app.{_PLACES[name]}"), name)
