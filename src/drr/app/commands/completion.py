"""Writes shell completion from the command parsers: the words and options of each command, and the values of options."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from shlex import quote

from drr.app.commands.parser import parser_of
from drr.app.commands.table import commands, top_level_words


@dataclass(frozen=True)
class WordPlace:
    """A place in a command line, such as `shop users`, with the words and options that may follow."""

    words: Mapping[str, str] = field(default_factory=dict)
    """Possible next words, each with a line of help."""
    options: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Choices of each option that takes a value; empty for a free value, such as a file."""


def command_places() -> dict[str, WordPlace]:
    """Return every place of the command line, by its words. Former names that stay are completed, but not offered."""
    found = {
        "": WordPlace({**{row.name: row.line for row in top_level_words()}, "help": "more of a command"})
    }
    found["help"] = WordPlace(found[""].words)
    for row in commands():
        parser = parser_of(row)
        found |= _words_below(parser, row.name)
        if row.old:
            found |= _words_below(parser, row.old)
    return found


def _words_below(parser: argparse.ArgumentParser, name: str) -> Iterator[tuple[str, WordPlace]]:
    words: dict[str, str] = {}
    options: dict[str, str] = {}
    values: dict[str, Sequence[str]] = {}
    for action in parser._actions:
        if action.help == argparse.SUPPRESS:
            continue
        choices = [] if action.choices is None else [str(choice) for choice in action.choices]
        if isinstance(action, argparse._SubParsersAction):
            helps = {one.dest: one.help or "" for one in action._choices_actions}
            words |= {word: helps.get(word, "") for word in choices}
            for word, part in action.choices.items():
                yield from _words_below(part, f"{name} {word}")
        elif not action.option_strings:
            words |= dict.fromkeys(choices, "")
        else:
            for option in action.option_strings:
                options[option] = _line(action.help or "")
                if action.nargs != 0:
                    values[option] = choices
    yield name, WordPlace(words, options, values)


def _line(text: str) -> str:
    """Shorten a help text to one line that fits beside a word."""
    text = " ".join(text.replace("%%", "%").split())
    return text if len(text) <= 60 else f"{text[:59].rsplit(' ', 1)[0]}…"


def bash(places: Mapping[str, WordPlace]) -> str:
    return _fill_template(
        """\
# Completion of drr for bash, by `drr env completion bash`:  source <(drr env completion bash)
_drr() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} at="" words="" options="" i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$at/${COMP_WORDS[i]}" in
            @STEPS@) at="${at:+$at }${COMP_WORDS[i]}" ;;
        esac
    done
    case "$at/$prev" in
@VALUES@
        @FREE@) return ;;
    esac
    case "$at" in
@PLACES@
    esac
    if [[ $cur == -* ]]; then words=$options; fi
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _drr drr
""",
        places,
        place=lambda key, spot: (
            f"        {quote(key)}) words={_quoted_words(spot.words)} options={_quoted_words(spot.options)} ;;"
        ),
        value=lambda case, choices: (
            f'        {case}) COMPREPLY=($(compgen -W {_quoted_words(choices)} -- "$cur")); return ;;'
        ),
    )


def zsh(places: Mapping[str, WordPlace]) -> str:
    return _fill_template(
        """\
#compdef drr
# Completion of drr for zsh, by `drr env completion zsh`:  source <(drr env completion zsh)
_drr() {
    local cur=${words[CURRENT]} prev=${words[CURRENT-1]} at="" i
    local -a next options
    for ((i = 2; i < CURRENT; i++)); do
        case "$at/${words[i]}" in
            (@STEPS@) at="${at:+$at }${words[i]}" ;;
        esac
    done
    case "$at/$prev" in
@VALUES@
        (@FREE@) _files; return ;;
    esac
    case "$at" in
@PLACES@
    esac
    if [[ $cur == -* ]]; then
        _describe -o option options
    elif (( $#next )); then
        _describe word next
    else
        _files
    fi
}
compdef _drr drr
""",
        places,
        place=lambda key, spot: (
            f"        ({quote(key)}) next=({_words_with_help(spot.words)}); options=({_words_with_help(spot.options)}) ;;"
        ),
        value=lambda case, choices: f"        ({case}) compadd -- {' '.join(map(quote, choices))}; return ;;",
    )


def _fill_template(
    text: str,
    places: Mapping[str, WordPlace],
    *,
    place: Callable[[str, WordPlace], str],
    value: Callable[[str, Sequence[str]], str],
) -> str:
    """Fill in the script template of bash and zsh: steps between places, values of options, and words at each place."""
    steps = [_case(*key.rpartition(" ")[::2]) for key in places if key]
    chosen, free = list[str](), list[str]()
    for key, spot in places.items():
        for option, choices in spot.values.items():
            case = _case(key, option)
            if choices:
                chosen.append(value(case, choices))
            else:
                free.append(case)
    shown = [place(key, spot) for key, spot in places.items()]
    for mark, lines in (
        ("@STEPS@", "|".join(steps)),
        ("@VALUES@", "\n".join(chosen)),
        ("@FREE@", "|".join(free)),
        ("@PLACES@", "\n".join(shown)),
    ):
        text = text.replace(mark, lines)
    return text


def _case(at: str, word: str) -> str:
    return quote(f"{at}/{word}")


def _quoted_words(words: Iterable[str]) -> str:
    return quote(" ".join(words))


def _words_with_help(words: Mapping[str, str]) -> str:
    return " ".join(
        quote(f"{word.replace(':', chr(92) + ':')}:{help_text}") for word, help_text in words.items()
    )


def fish(places: Mapping[str, WordPlace]) -> str:
    lines = [
        "# Completion of drr for fish, by `drr env completion fish`:  drr env completion fish | source",
        "function __drr_at",
        "    set -l at ''",
        "    for word in (commandline -opc)[2..-1]",
        '        switch "$at/$word"',
        f"            case {' '.join(_case(*key.rpartition(' ')[::2]) for key in places if key)}",
        '                set at (string trim "$at $word")',
        "        end",
        "    end",
        '    test "$at" = "$argv[1]"',
        "end",
        "complete -c drr -e",
    ]
    for key, spot in places.items():
        here = f"complete -c drr -n {_fish(f'__drr_at {_fish(key)}')}"
        for word, help_text in spot.words.items():
            lines.append(f"{here} -f -a {_fish(word)} -d {_fish(help_text)}")
        for option, help_text in spot.options.items():
            name = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
            choices = spot.values.get(option)
            taken = "" if choices is None else f" -x -a {_fish(' '.join(choices))}" if choices else " -r -F"
            lines.append(f"{here} {name} -d {_fish(help_text)}{taken}")
    return "\n".join(lines) + "\n"


def _fish(text: str) -> str:
    return "'" + re.sub(r"(['\\])", r"\\\1", text) + "'"


SHELLS: dict[str, Callable[[Mapping[str, WordPlace]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}
