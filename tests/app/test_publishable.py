"""What a paper takes from a report: tables that a TeX reads, figures whose words lie apart, colours that everybody tells apart."""

from __future__ import annotations

import gzip
import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from drr.app.pages.serve import STATIC, STYLES
from drr.app.report import drawings as figures
from drr.app.report.drawings import DARK, FORMS, LIGHT
from drr.app.report.latex import LONGEST, latex
from drr.app.report.material import ReportData
from drr.app.report.tables import Cell, Heading, Table, headings
from drr.study.study import Study

from tests.app.conftest import material_of
from tests.commands import Drr

COMMANDS = {
    *("begin", "end", "centering", "small", "toprule", "midrule", "bottomrule", "caption", "label", "par", "medskip", "smallskip"),
    *("footnotesize", "raggedright", "pm", "approx", "mathbf", "textbackslash", "textasciitilde", "textasciicircum", "ldots", "cdot"),
    *("le", "ge", "times"),
}  # fmt: skip
HOSTILE = "\\input{/etc/passwd} $x^2_3$ 50% & #1 ~ {open 鳥 “q” <b> — " + "w" * 300


def read(source: str) -> list[list[str]]:
    """The rows of every tabular, by their cells; fails where a TeX would."""
    assert max(map(len, source.splitlines())) <= LONGEST
    assert all(sign.isascii() or "\u00a1" <= sign <= "\u017f" for sign in source)
    bare = re.sub(r"\\[&%$#_{}]", "", source)
    assert set(re.findall(r"\\([A-Za-z]+)", bare)) <= COMMANDS
    assert not re.search(r"[%#~^_]", re.sub(r"\\label\{[^}]*\}", "", bare).replace("~", "")), "a bare sign"
    depth, maths = 0, False
    for sign in bare.replace("\\\\", ""):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        maths ^= sign == "$"
        assert depth >= 0
    assert depth == 0 and not maths
    opened: list[str] = []
    rows: list[list[str]] = []
    for what, kind in re.findall(r"\\(begin|end)\{(\w+)\}", source):
        if what == "begin":
            opened.append(kind)
        else:
            assert opened.pop() == kind
    assert opened == []
    for form, body in re.findall(r"\\begin\{tabular\}\{([lr]+)\}\n(.*?)\\end\{", source, re.S):
        body = re.sub(r"\\(toprule|midrule|bottomrule)", "", body)
        for line in filter(str.strip, re.split(r"\\\\\s*\n", body)):
            cells = re.split(r"(?<!\\)&", line)
            assert len(cells) == len(form), line
            rows.append([cell.strip() for cell in cells])
    return rows


def test_tables_show_both_ends_of_an_interval_and_hostile_words_stay_words() -> None:
    cells = [Cell(0.8, 0.7, 0.96, 12, 1, bold=True), Cell(-1234.5, digits=1, signed=True, slight=True)]
    many = [Cell(0.5, 0.4, 0.6, 9)] * 20
    table = Table("t", "T", headings(*"ab", *(f"c{n}" for n in range(20))), [("r", [*cells, *many])])
    rows = read(latex(table))
    assert rows[1][1:3] == [r"$\mathbf{0.80}~[0.70, 0.96]$", r"$\approx -1{,}234.5$"]
    assert r"\pm" not in latex(table) and "In brackets the 95 \\% interval" in latex(table)
    wide = Table("t", "T", headings("a"), [("r", [Cell(5200.0, -10.0, 12400.0, 9, digits=0)])])
    alike = Table("d", "d", headings("one"), [("a minus b", [Cell(2.0, n=10, signed=True, equal=True)])])
    assert read(latex(alike))[1][1] == "$+2.00$ on each of 10"
    assert read(latex(wide))[1][1] == "$5{,}200~[-10, 12{,}400]$"
    assert sum(len(row) - 1 for row in rows) == 2 * 22
    table = Table(
        "t", HOSTILE, [Heading(HOSTILE), Heading("n")], [(HOSTILE, [Cell(HOSTILE), Cell(None, missing=HOSTILE)])], [HOSTILE], HOSTILE
    )  # fmt: skip
    read(latex(table))


@pytest.fixture(scope="module")
def material(judged_study: Path) -> ReportData:
    study = Study.open(judged_study)
    return material_of(study)


@pytest.mark.long
def test_every_table_of_a_study_can_be_read(judged_study: Path, tmp_path: Path, drr: Drr) -> None:
    drr.out("report", judged_study, "--out", tmp_path / "r", "--figures", *FORMS)
    sources = list((tmp_path / "r" / "tables").glob("*.tex"))
    assert sources
    for source in sources:
        assert read(source.read_text("utf-8")), source
    drawn = {path.name for path in (tmp_path / "r" / "figures").iterdir()}
    forms = {f"tool-calls{scheme.ending}.{form}" for scheme in (LIGHT, DARK) for form in FORMS}
    assert forms <= drawn and {"tool-calls.pdf", "tool-calls-dark.pdf"} <= forms


@pytest.mark.parametrize("name", [name for name, *_ in figures.OURS])
def test_no_words_of_a_figure_lie_over_each_other(material: ReportData, name: str) -> None:
    draw = {one: draw for one, _, draw in figures.every_figure(material)}[name]
    import matplotlib as mpl
    from matplotlib.text import Text

    with mpl.rc_context(figures.STYLE):
        figure = draw(material)
        if figure is None:
            pytest.skip("this study has nothing for it")
        figure.draw_without_rendering()
        words = [one for one in figure.findobj(Text) if one.get_visible() and one.get_text().strip()]
        boxes = [(one.get_text(), Text.get_window_extent(one).padded(-1)) for one in words]
    over = [(a, b) for (a, one), (b, other) in combinations(boxes, 2) if one.overlaps(other)]
    assert len(boxes) > 5 and over == []


SEEN = {
    "as it is": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "without red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "without green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "without blue": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}  # fmt: skip
"""Machado, Oliveira and Fernandes 2009, at full severity, in linear RGB."""


def lab(colour: str, seen: str) -> np.ndarray:
    coded = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    light = np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)
    light = np.clip(np.array(SEEN[seen]) @ light, 0, 1)
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ light
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116) if xyz.any() else np.zeros(3)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_verdicts_are_told_apart_by_everybody() -> None:
    told = (STATIC / "look.css").read_text("utf-8")
    light, _, dark = told.partition("@media (prefers-color-scheme: dark)")
    for scheme in (light, dark):
        colours = dict(re.findall(r"--(full|partial|none|other): (#[0-9a-f]{6})", scheme))
        assert len(colours) == 4
        for seen in SEEN:
            for one, other in combinations(colours.values(), 2):
                assert np.linalg.norm(lab(one, seen) - lab(other, seen)) >= 20, (seen, one, other)


def test_a_page_is_light_without_its_data() -> None:
    frame = [(STATIC / name).read_bytes() for name in (*STYLES, "reach.js", "viewer.js")]
    assert sum(len(gzip.compress(one)) for one in frame) < 20_000
