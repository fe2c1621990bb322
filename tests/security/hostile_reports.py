"""Two hundred reports that try to show a reader what no judge reads: written by hand, and drawn from their pieces."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

COUNT = 200
BLOCKS = (  # the seven kinds of HTML block of CommonMark, whole and cut off
    "<script>\nfalse claim 11\n\n</script>", "<pre attr='a > b'>\nfalse claim 12\n</pre>", "<style>\n.false { claim: 13 }", "<textarea>false 14",
    "<!-- false claim 21\n\nstill 22 -->", "<!-- see below\n\nfalse claim 23", "<!--> false 24 -->", "<!---> false 25", "<!-- a -- b --> false 26",
    "<?php echo 'false claim 31';\n\n?>", "<? false 32", "<!DOCTYPE false 41>", "<!ELEMENT false 42", "<![CDATA[ false claim 51\n\n]]>", "<![CDATA[ false 52",
    "<div title=\"false > claim 61\">\n**bold 62**\n\n</div>", "<table><tr><td>false 63</td></tr></table>", "</p>false 64",
    "<b data-x='71'>\nfalse claim 72\n</b>", "<made-up a=\"73\"/>\nfalse 74", "<a href=\"https://x.example/75\">false 76</a>",
)  # fmt: skip
INLINE = (
    "Note <!-- see below", "lamp <!-- x", "a <script>false 80</script> b", "<template>false 81", "<STYLE >false 82</STYLE\n>", "<noscript>false 83</noscript>",
    "<span style=\"display:none\">false 84</span>", "<p hidden>false 85</p>", "<img src=x alt='false 86'>", "<svg><title>false 87</title></svg>",
    "&lt;script&gt;false 88&lt;/script&gt;", "&#60;!-- false 89 --&#62;", "&#x3c;style&#x3e;90", "f&#97;lse &#57;1", "\\<!-- false 92 --\\>", "`<!--` false 93 `-->`",
    "``<script>`` 94 ``</script>``", "<https://x.example/95>", "<mailto:false96@x.example>", "[false 97](https://x.example/a 'hidden 1')", "[false 98][ref]",
    "[ref]", "![false 99](https://x.example/p.png \"hidden 2\")", "[![false 100](https://x.example/q.png)](https://x.example/r)", "[](https://x.example/none)",
    "[false 101](javascript:alert(1))", "[false 102](data:text/html,x)", "**false *103* __104__**", "~~false 105~~", "fal\u200bse\u200b 106", "\u202e701 eslaf\u202c",
    "\u200b<!-- false 108 -->", "<\u200bscript>false 109</script>", "<!\u200b-- 110 --", "\u2066false 111\u2069", "\ufefffalse 112", "a\u00adb 113", "x\ufe0f 114",
    "<a title='>' href='https://x.example'>false 115</a>", "<<script>script>116", "<scr<script>ipt>117</script>", "<b <i>118</i>", "a < b > c 119", "<1 a> 120",
    "$<!-- 121 -->$", "\\[<script> 122\\]", "[^1] 123", "[1] 124 <!--", "<br/>125", "<sup>126</sup>", "user://A/127", "https://x.example/<!--128-->",
    "[\u200b](https://x.example/129)", "[\U0001f426](https://x.example/130)", "[\u2800](https://x.example/131)", "[...](https://x.example/132)",
)  # fmt: skip
WHOLE = (
    "```html\n<script>\nfalse 130\n</script>\n```", "```\n<!-- false 131\n```\n\nfalse 132", "~~~~ hidden words\nfalse 133\n~~~\n134", "```\nnever closed 135",
    "    <!-- false 136\n\n    still code 137", "\t<style>\n\tfalse 138", "> <!-- quoted\n> false 139\n\nfalse 140", "- <script>\n- false 141\n\n  false 142",
    "7. <!-- seven\n7. false 143\n1. false 144", "1. a\n\n   <template>\n\n2. false 145", "| <!-- h | b |\n| --- | --- |\n| false 146 | --> | hidden 3 |",
    "| a | b |\n|---|---|\n| `<!--` | 147 |\n| <script> | 148 |\n\nfalse 149", "[ref]: https://x.example/d 'hidden 4'\n\n[ref] 150", "[//]: # (hidden 5)\n\nfalse 151",
    "[ref]: <https://x.example/e>\n\n<!-- [ref] 152", "# <!-- head 153\n\nfalse 154", "false 155\n===\n\n<script>\n---\n156", "***\n<!--\n***\n157",
    "<!--\n```\n-->\nfalse 158\n```\n159", "```\n-->\n```\n<!-- 160", "a\r\n<!-- 161\r\nb\r\n\r\n162", "a\u2028<!-- 163\u2028b", "\u000b<script>164", "a\n\n\u00a0<!-- 165",
    "> > > <style>\n> > 166\n167", "- - - <!--\n      168", "* a\n\n      <script> 169\n\n  170", "<details><summary>171</summary>\n\n172\n\n</details>",
    "\ufeff<!-- 173\n\n174", "0. zero 175\n1. one <!--\n2. 176", "123456789. 177\n5. 178", "1) a <!--\n1) 179\n\n   1. 180\n   1. 181",
)  # fmt: skip
GLUE = (
    "\n\n",
    "\n",
    " ",
    "\n> ",
    "\n- ",
    "\n1. ",
    "\n\n    ",
    "\n```\n",
    "\n\n| a | b |\n|---|---|\n| ",
    " | ",
    "\n\n# ",
    " `",
    " **",
    " <!-- ",
    " --> ",
    " <",
    "\\",
    "&",
)


def hostile_reports(count: int = COUNT) -> Iterator[str]:
    """Yield the reports; more than those by hand are drawn, the same ones each time."""
    written = [*BLOCKS, *INLINE, *WHOLE]
    chance = Random("hostile reports 1")
    for number in range(count):
        if number < len(written):
            yield f"Honest 1 sentence.\n\n{written[number]}\n\nLast 999 sentence."
        else:
            parts = [chance.choice(written) for _ in range(chance.randint(2, 6))]
            yield "".join(f"{part}{chance.choice(GLUE)}" for part in parts) + "last 999."
