"""Reports in the manner of the systems people compare with ours, each counted by hand: distinct URLs and inline citations.

Wording is ours; the forms (markers, lists, headings, escapes, slips) are those that such reports show.
"""

from __future__ import annotations

from typing import NamedTuple


class Counted(NamedTuple):
    name: str
    report: str
    urls: set[str]
    inline: int
    entries: int
    dangling: int = 0


A, B, C, D, E = (f"https://{host}.org/page" for host in ("alpha", "beta", "gamma", "delta", "epsilon"))

CORPUS: list[Counted] = [
    Counted(
        "langchain_odr",
        f"""# Feeders in winter

Cardinals stay all year [1][4]. Finches leave in May [2].

## Diet

Seed matters most [1, 3]. Suet helps [3-5].

### Sources

[1] Alpha on birds: {A}
[2] Beta: {B}
[3] Gamma: {C}
[4] Delta: {D}
[5] Epsilon: {E}
""",
        {A, B, C, D, E}, 8, 5,
    ),
    Counted(
        "langchain_odr_numbered_titles",
        f"""## Findings

Prices fell by 3.5% in 2024 [1]. Demand rose [2].

## Sources

1. [Alpha review]({A})
2. [Beta review]({B})
""",
        {A, B}, 2, 2,
    ),
    Counted(
        "langchain_odr_bold_label",
        f"""Text one [1]. Text two [2].

**Sources:**
[1] Alpha ({A})
[2] Beta ({B})
""",
        {A, B}, 2, 2,
    ),
    Counted(
        "langchain_odr_trailing_spaces_and_dots",
        f"Text one [1]. Text two [2].\n\n### Sources\n[1] Alpha. {A}.  \n[2] Beta, {B},  \n",
        {A, B}, 2, 2,
    ),
    Counted(
        "langchain_odr_inline_links",
        f"""Cardinals stay [1]({A}). Finches leave [2]({B}) and return [1]({A}).

### Sources
[1] Alpha: {A}
[2] Beta: {B}
""",
        {A, B}, 3, 2,
    ),
    Counted(
        "qwen",
        f"""# Report

One claim[1][2]. Another claim[3]. A third [2].

## Reference
[1],{A}
[2],{B}
[3],
""",
        {A, B}, 4, 3,
    ),
    Counted(
        "claude_research",
        f"""# Overview

The market doubled [1]. Growth slowed later [2][3].

References:
[1] {A} - Alpha market study
[2] {B} - Beta outlook (2024)
[3] {C} - Gamma [PDF]
""",
        {A, B, C}, 3, 3,
    ),
    Counted(
        "sonar_bare_list",
        f"Answer one[1]. Answer two[2][3].\n\n[1] {A}\n[2] {B}\n[3] {C}\n",
        {A, B, C}, 3, 3,
    ),
    Counted(
        "perplexity",
        f"""<img src="https://r2cdn.perplexity.ai/pplx-full-logo.png" class="logo" width="120"/>

# Birds

They sing[^1][^3]. They fly[^2].

<div style="text-align: center">⁂</div>

[^1]: {A}

[^2]: {B}

[^3]: {C}
""",
        {A, B, C}, 3, 3,
    ),
    Counted(
        "perplexity_compound_ids",
        f"They sing[^1_1][^1_2].\n\n[^1_1]: {A}\n\n[^1_2]: {B}\n",
        {A, B}, 2, 2,
    ),
    Counted(
        "openai_deep_research",
        f"""The plan works ([Alpha - The guide]({A}#:~:text=first words here,last words)). It was tested \
([beta.org]({B}?utm_source=openai)) ([beta.org]({B}?utm_source=openai#:~:text=a%20b)). See also [Gamma]({C}#:~:text=spaces (and parens) in it, end).
""",
        {A, B, C}, 4, 0,
    ),
    Counted(
        "openai_deep_research_closing",
        f"""First ([Alpha]({A}#:~:text=One fact)). Second ([Beta]({B}#:~:text=Another fact)).

Sources: [Alpha]({A}#:~:text=One fact), [Beta]({B}), [Gamma]({C})
""",
        {A, B, C}, 5, 0,
    ),
    Counted(
        "openai_docx",
        f"""The first point. [1] The second point. [2] [3]

[1] [4] Alpha {A}

[2] {B}

[3] {C}
""",
        {A, B, C}, 3, 3,
    ),
    Counted(
        "openai_docx_escaped",
        f"""The first point. \\[1\\] The second. \\[2\\]\\[1\\]

\\[1\\] {A}

\\[2\\] {B}
""",
        {A, B}, 3, 2,
    ),
    Counted(
        "gemini",
        f"""# The state of maps

Most people own a map.2 The rest borrow one.1 In 2020, 3.5 million were sold.3

## Outlook

Version 2.1 came out in 2023.2 Nothing else changed.

#### **Works cited**

1. Alpha on maps, accessed May 1, 2025, [{A}]({A})
2. Beta on maps, accessed May 1, 2025, [{B}]({B})
3. Gamma, accessed May 1, 2025, [{C}]({C})
""",
        {A, B, C}, 4, 3,
    ),
    Counted(
        "gemini_chinese",
        f"""# 地图

多数人有地图。1 其余的人借。2

#### **引用的著作**

1. 地图研究, 访问时间为 五月 1, 2025， [{A}]({A})
2. 借阅研究, 访问时间为 五月 1, 2025， [{B}]({B})
""",
        {A, B}, 2, 2,
    ),
    Counted(
        "grok",
        f"""Evidence leans toward yes, as [Alpha]({A}) shows, though [Beta]({B}) disagrees.

| Year | Source |
|---|---|
| 2020 | [Alpha]({A}) |

### Key Citations
- [Alpha full study]({A})
- [Beta comment]({B})
- [Gamma data]({C})
""",
        {A, B, C}, 3, 3,
    ),
    Counted(
        "grok_deeper_parenthesised",
        f"It holds ([Alpha]({A})). It also holds there ([Beta]({B}), [Gamma]({C})).\n",
        {A, B, C}, 3, 0,
    ),
    Counted(
        "gpt_researcher_apa",
        f"""# Study

Feeding helps ([Alpha, 2023]({A})). It may harm ([Beta, 2022]({B})).

## References

- Alpha, A. (2023). Feeding. *Journal of Feeding*. {A}
- Beta, B. (2022). Harm. Website of Beta. [{B}]({B})
- Gamma. (n.d.). Neither. {C}.
""",
        {A, B, C}, 2, 3,
    ),
    Counted(
        "gpt_researcher_apa_paragraphs",
        f"""Feeding helps (Alpha, 2023).

## References

Alpha, A. (2023, May 2). *Feeding birds*. Journal. [{A}]({A})

Beta, B. (2022). Harm. [{B}]({B})
""",
        {A, B}, 0, 2,
    ),
    Counted(
        "doubao",
        f"""# 报告

冬季喂食有益[(1)]({A})，但也有风险[(2)]({B})[(1)]({A})。

参考资料:

\\[1] 冬季喂食[ {A}]({A})

\\[2] 风险[ {B}]({B})
""",
        {A, B}, 3, 2,
    ),
    Counted(
        "mita",
        f"""## 概述

冬季喂食有益[[1]]。风险较小[[1][2]]。

[1\\. 冬季喂食]({A})

[2\\. 风险研究]({B})
""",
        {A, B}, 3, 2,
    ),
    Counted(
        "onyx",
        f"""Feeding helps [[1]]({A}). It costs little [[2]]({B}) [[1]]({A}).

### Sources
[[1]]({A}) Alpha
[[2]]({B}) Beta
""",
        {A, B}, 3, 2,
    ),
    Counted(
        "opendeepsearch_footnotes_with_list",
        f"""Feeding helps[^1]. It costs little[^2][^1].

## References

1. [Alpha]({A})
2. [Beta]({B})
""",
        {A, B}, 3, 2,
    ),
    Counted(
        "opendeepsearch_both",
        f"Feeding helps [1][^2].\n\n[^2]: [Beta]({B})\n\n## References\n1. [Alpha]({A})\n2. [Beta]({B})\n",
        {A, B}, 2, 3,
    ),
    Counted(
        "deer_flow",
        f"""# Birds

Birds sing in spring.

## Key Citations

- [Alpha]({A})

- [Beta]({B})
""",
        {A, B}, 0, 2,
    ),
    Counted(
        "full_width",
        f"""冬季喂食有益【1】。风险较小【1,2】。总体如此【1-3】。

## 参考文献
1. [甲]({A})
2. [乙]({B})
3. [丙]({C})
""",
        {A, B, C}, 6, 3,
    ),
    Counted(
        "comma_and_dash_ranges",
        f"One [1,2]. Two [1–3]. Three [4-2]. Four [41-23]. Five [60].\n\nReferences\n[1] {A}\n[2] {B}\n[3] {C}\n",
        {A, B, C}, 8, 3, 3,
    ),
    Counted(
        "line_suffixes",
        f"One [1†L10]. Two [2+L10]. Three 【1†L3-5】.\n\n[1] {A}\n[2] {B}\n",
        {A, B}, 3, 2,
    ),
    Counted(
        "footnote_titles",
        f"One.[^a] Two.[^b]\n\n[^a]: Alpha study, {A}\n[^b]: Beta study, <{B}>\n",
        {A, B}, 2, 2,
    ),
    Counted(
        "reference_style_links",
        f"See [Alpha][1] and [the other one][other] or [Beta][2].\n\n[1]: {A}\n[2]: {B} \"Beta\"\n[other]: {C}\n",
        {A, B, C}, 3, 3,
    ),
    Counted(
        "html_links",
        f'<p>See <a href="{A}">Alpha</a> and <a class="x" href=\'{B}\'>Beta</a>.</p><img src="https://img.org/x.png">',
        {A, B}, 2, 0,
    ),
    Counted(
        "autolinks_and_bare",
        f"See <{A}>, {B}, and ({C}). Also {D}; \"{E}\".",
        {A, B, C, D, E}, 5, 0,
    ),
    Counted(
        "bare_with_cjk_punctuation",
        f"参见{A}，以及（{B}）。还有{C}。最后：{D}、{E}；完",
        {A, B, C, D, E}, 5, 0,
    ),
    Counted(
        "parentheses_in_urls",
        "See [A](https://en.wikipedia.org/wiki/Transformer_(deep_learning_architecture)) and "
        "(https://en.wikipedia.org/wiki/Mercury_(planet)) and [B](https://x.org/a\\_b\\(c\\)).",
        {
            "https://en.wikipedia.org/wiki/Transformer_(deep_learning_architecture)",
            "https://en.wikipedia.org/wiki/Mercury_(planet)",
            "https://x.org/a_b(c)",
        },
        3, 0,
    ),
    Counted(
        "code_and_mermaid",
        f"""Text [1].

```python
rows = [[1, 2, 3], [4, 5, 6]]  # [2]
url = "https://code.org/x"
```

```mermaid
graph TD
A[Large-scale 1] --> B[2]
```

Inline `[2]` and `https://inline.org`.

[1] {A}
[2] {B}
""",
        {A, B}, 1, 2,
    ),
    Counted(
        "arrays_and_ratings",
        f"Text [1]. Ratings: [4, 5, 5]. Matrix [[1, 2, 3], [4, 5, 6]]. A [2025] plan. CI [2, 3].\n\n[1] {A}\n[2] {B}\n[3] {C}\n[4] {D}\n[5] {E}\n",
        {A, B, C, D, E}, 1, 5,
    ),
    Counted(
        "latex",
        f"The interval \\[10,14\\] and $$x_{{[1]}} = [2]$$ hold [1].\n\n[1] {A}\n[2] {B}\n",
        {A, B}, 1, 2,
    ),
    Counted(
        "year_in_title",
        f"[2025] outlook: (1 cup) of seed, 9-17% more, chapter 3.\n\n### 3. Third [1]\n\n[1] Alpha [2025 edition] {A}\n[2] Beta {B}\n",
        {A, B}, 1, 2,
    ),
    Counted(
        "same_source_twice_listed",
        f"One [1]. Two [3].\n\n## Sources\n[1] Alpha {A}/\n[2] Beta {B}\n[3] Alpha again {A}\n",
        {A, B}, 2, 3,
    ),
    Counted(
        "prose_after_the_list",
        f"""One [1]. Two [2].

## References

1. Alpha. {A}
2. Beta. {B}

## Outlook

More will follow [2]. See [Gamma]({C}).
""",
        {A, B, C}, 4, 2,
    ),
    Counted(
        "heading_also_in_contents",
        f"""# Report

## Contents
1. Introduction
2. References

## Introduction

One [1].

## References

[1] Alpha {A}
""",
        {A}, 1, 1,
    ),
    Counted(
        "list_without_heading_at_the_end",
        f"One claim ([Alpha]({A})).\n\n---\n- [Alpha]({A})\n- [Beta]({B})\n",
        {A, B}, 1, 2,
    ),
    Counted(
        "lists_per_section",
        f"""## One

Text [1]. More [2].

**Sources:**
- [1] [Alpha]({A})
- [2] [Beta]({B})

## Two

Text [1].

**Sources:**
- [1] [Gamma]({C})
- [2] [Delta]({D})
""",
        {A, B, C, D}, 3, 4,
    ),
    Counted(
        "entry_on_two_lines",
        f"One [1]. Two [2].\n\nSources:\n\n[1] Alpha study\n{A}\n\n[2] Beta study\n    {B}\n",
        {A, B}, 2, 2,
    ),
    Counted(
        "entries_with_author_year_and_doi",
        "One [1]; two [2].\n\n## Bibliography\n\n[1] Smith, J. (2020). Title. https://doi.org/10.1000/182.\n\n[2] Lee, K. et al. 2021. Other. doi:10.1/x\n",
        {"https://doi.org/10.1000/182"}, 2, 2,
    ),
    Counted(
        "markdown_numbering_all_ones",
        f"One [1]. Two [2].\n\n## Sources\n1. [Alpha]({A})\n1. [Beta]({B})\n",
        {A, B}, 2, 2,
    ),
    Counted(
        "markers_in_tables",
        f"| Bird | Food |\n|---|---|\n| Cardinal [1] | Seed [2] |\n| Finch | Thistle [1][2] |\n\n[1] {A}\n[2] {B}\n",
        {A, B}, 4, 2,
    ),
    Counted(
        "reference_table",
        f"One [1]. Two [2].\n\n## References\n\n| # | Title | URL |\n|---|---|---|\n| 1 | Alpha | {A} |\n| 2 | Beta | {B} |\n",
        {A, B}, 2, 2,
    ),
    Counted(
        "no_urls",
        "Birds sing [1]. They fly [2].\n\n## References\n\n1. Smith (2020). Birds.\n2. Lee (2021). Flight.\n",
        set(), 2, 2,
    ),
    Counted("nothing", "Birds sing. They fly.", set(), 0, 0),
    Counted(
        "user_addresses",
        "You ordered it in May [1]. [Profile](user://U1/profile)\n\n## Sources\n[1] Order 7: user://U1/orders/7\n[2] Ramp: http://ecommerce.example/B1\n",
        {"user://U1/orders/7", "user://U1/profile", "http://ecommerce.example/B1"}, 2, 2,
    ),
    Counted(
        "link_text_is_the_url",
        f"See [{A}]({A}) and [{B}/]({B}).",
        {A, B}, 2, 0,
    ),
    Counted(
        "images_and_badges",
        f"![chart](https://img.org/c.png) One [Alpha]({A}). ![x][pic]\n",
        {A}, 1, 0,
    ),
    Counted(
        "titles_with_brackets",
        f"One [1]. See [Alpha \\[PDF\\]]({B}) and [Gamma [2nd ed.]]({C}).\n\n[1] [PDF] Alpha: {A}\n[2] [Review] Beta {B}\n",
        {A, B, C}, 3, 2,
    ),
    Counted(
        "products_as_bullets",
        f"- [Feeder]({A}) - $20, 4.5 stars\n- [House]({B}) - $30, 4.1 stars\n\nTake the first.",
        {A, B}, 2, 0,
    ),
    Counted(
        "wrapped_in_a_fence",
        f"```markdown\n# Report\n\nOne [1].\n\n## Sources\n[1] Alpha {A}\n```\n",
        {A}, 1, 1,
    ),
    Counted(
        "bullets_in_source_section",
        f"One claim.\n\n## 📚 Sources & References\n\n* Alpha: {A}\n* Beta – {B}\n* [Gamma]({C}) – a long note on what it says about the matter\n",
        {A, B, C}, 0, 3,
    ),
    Counted(
        "japanese_and_german_headings",
        f"Ein Satz [1].\n\n## Quellen\n[1] Alpha {A}\n\n## 参考文献\n[2] Beta {B}\n",
        {A, B}, 1, 2,
    ),
    Counted(
        "numbered_section_heading",
        f"Text [1].\n\n## 9. References\n\n[1] Alpha {A}\n\n[2] Beta {B}\n",
        {A, B}, 1, 2,
    ),
    Counted(
        "quotes_and_sup",
        f"> A quoted line [1].\n\nSuper<sup>[2]</sup>.\n\n> [1]: {A}\n> [2]: {B}\n",
        {A, B}, 2, 2,
    ),
    Counted(
        "truncated_at_the_end",
        f"One [1]. Two [Alpha]({A}) and then [Beta]({B}",
        {A, B}, 3, 0, 1,
    ),
    Counted(
        "chained_numbered_links",
        f"One [1]({A})[2]({B}), two [3]({C}).",
        {A, B, C}, 3, 0,
    ),
    Counted(
        "source_words_in_brackets",
        f"One [Source 1]. Two [Sources: 1, 2]. Three [ref 2].\n\nSources:\n[1] {A}\n[2] {B}\n",
        {A, B}, 4, 2,
    ),
    Counted(
        "per_claim_source_lines",
        f"Birds sing.\nSource: {A}\n\nBirds fly.\nSource: {B}\n\nThat is all there is to say about birds.",
        {A, B}, 2, 0,
    ),
    Counted(
        "kimi_carets",
        f"One[^1^]. Two[^2^][^1^].\n\n[^1^]: {A}\n[^2^]: {B}\n",
        {A, B}, 3, 2,
    ),
    Counted(
        "deepseek_citation_words",
        f"One [citation:1]. Two [citation:2][citation:1]. Three [web:2].\n\n[1] {A}\n[2] {B}\n",
        {A, B}, 4, 2,
    ),
    Counted(
        "grok_empty_link_text",
        f"One claim.[]({A}) Two claims.[]({B})[]({A})\n",
        {A, B}, 3, 0,
    ),
    Counted(
        "entries_with_sub_bullets",
        f"One [1]. Two [2].\n\n## References\n\n1. **Alpha**\n   - URL: {A}\n   - Accessed: 2024\n2. **Beta**\n   - URL: {B}\n",
        {A, B}, 2, 2,
    ),
    Counted(
        "entries_with_sub_bullets_after_the_url",
        f"One [1]. Two [2].\n\n## References\n\n1. [Alpha]({A})\n   - a note on it\n2. [Beta]({B})\n   - another\n",
        {A, B}, 2, 2,
    ),
    Counted(
        "escaped_footnotes",
        f"One\\[^1\\]. Two\\[^2\\].\n\n\\[^1\\]: {A}\n\\[^2\\]: {B}\n",
        {A, B}, 2, 2,
    ),
    Counted(
        "superscript_tags",
        f"One<sup>1</sup>. Two<sup>1, 2</sup>. A room of 20 m<sup>2</sup>.\n\n## References\n1. Alpha {A}\n2. Beta {B}\n",
        {A, B}, 3, 2,
    ),
    Counted(
        "number_inside_the_link_of_an_entry",
        f"One [1]. Two [2].\n\n## Sources\n- [[1] Alpha]({A})\n- [2. Beta]({B})\n",
        {A, B}, 2, 2,
    ),
    Counted(
        "gemini_after_quotes_and_bold",
        f"He said “so.”1 It is **bold.**2 In tables too.1,2 See No.2 and p.1 as well as $2.1 or v1.2 of it.\n\n## Sources\n1. Alpha {A}\n2. Beta {B}\n",
        {A, B}, 4, 2,
    ),
    Counted(
        "ieee",
        f'One [1], two [2], [1].\n\nREFERENCES\n\n[1] A. Alpha, "Feeding," 2020. [Online]. Available: {A}\n\n[2] B. Beta, "Harm," 2021. [Online]. Available: {B}. [Accessed: 3-May-2024].\n',
        {A, B}, 3, 2,
    ),
    Counted(
        "copilot_definitions_with_titles",
        f'One [1]. Two [2].\n\n[1]: {A} "Alpha"\n[2]: {B} "Beta"\n',
        {A, B}, 2, 2,
    ),
    Counted(
        "oaicite_and_turn_ids",
        f"One :contentReference[oaicite:0]{{index=0}}. Two [Alpha]({A}).\n",
        {A}, 1, 0,
    ),
    Counted(
        "mixed_ranges_and_numbers",
        "One [1-3, 5]. Two [1, 4 and 5]. Three [2 - 4].\n\n" + "".join(f"[{n}] {u}\n" for n, u in enumerate((A, B, C, D, E), 1)),
        {A, B, C, D, E}, 10, 5,
    ),
    Counted(
        "numbered_body_list_with_citations",
        f"1. Buy a feeder, because winter is long ([Alpha]({A})).\n2. Add a bath; water matters more than seed ([Beta]({B})).\n3. Wait.\n",
        {A, B}, 2, 0,
    ),
    Counted(
        "section_end_clusters",
        f"### Food\nBirds eat seed. They also eat suet.\n\n[1][2]\n\n### Water\nBirds drink.\n\nSources: [2], [3]\n\n## Sources\n[1] {A}\n[2] {B}\n[3] {C}\n",
        {A, B, C}, 4, 3,
    ),
    Counted(
        "links_with_titles_and_spaces",
        f'See [Alpha]({A} "The page (2020)"), [Beta]( {B} ) and [Gamma](<{C}>).',
        {A, B, C}, 3, 0,
    ),
    Counted(
        "full_width_parentheses",
        f"见（[甲]({A})），又见[乙]（{B}）。",
        {A, B}, 2, 0,
    ),
    Counted(
        "two_reference_sections",
        f"One [1]. Two [2].\n\n## References\n[1] {A}\n[2] {B}\n\n## Further Reading\n- [Gamma]({C})\n- [Delta]({D})\n",
        {A, B, C, D}, 2, 4,
    ),
    Counted(
        "fenced_list_is_not_a_list",
        f"One [Alpha]({A}).\n\n```\n[1] https://hidden.org/1\n[2] https://hidden.org/2\n```\n",
        {A}, 1, 0,
    ),
    Counted(
        "different_fragments_and_queries",
        f"See [a]({A}?id=1&utm_medium=x), [b]({A}?id=2), [c]({A}#part) and [d](HTTPS://ALPHA.org:443/page/).",
        {A, f"{A}?id=1", f"{A}?id=2", f"{A}#part"}, 4, 0,
    ),
    Counted(
        "emphasis_around_bare_urls",
        f"See **{A}**, _{B}_ and `code`; also {C}...",
        {A, B, C}, 3, 0,
    ),
    Counted(
        "titles_under_the_urls",
        f"One [1]. Two [2].\n\n[1] {A}\nAlpha on birds\n\n[2] {B}\nBeta on birds\n",
        {A, B}, 2, 2,
    ),
    Counted(
        "label_in_a_plain_contents",
        f"Contents\nIntroduction\nReferences\n\nIntroduction\n\nShort text [1].\n\n- [Feeder]({B}) is good\n- [House]({C}) too\n\nThat is all there is to say.\n\nReferences\n[1] {A}\n",
        {A, B, C}, 3, 1,
    ),
    Counted(
        "text_goes_on_after_a_labelled_list",
        f"One ([Alpha]({A})).\n\nSources:\n- [Alpha]({A})\n- [Beta]({B})\n\nNext come prices.\n\n- [Feeder]({C}) costs little\n- [House]({D}) costs more\n\nThat is all.\n",
        {A, B, C, D}, 3, 2,
    ),
    Counted(
        "list_label_inside_bullets",
        f"- Birds sing.\n- **Sources:**\n  - [Alpha]({A})\n  - [Beta]({B})\n\n## Next\n\nMore [Gamma]({C}).\n",
        {A, B, C}, 1, 2,
    ),
    Counted(
        "windows_line_ends",
        f"One [1].\r\n\r\n## Sources\r\n\r\n[1] Alpha: {A}\r\n[2] Beta: {B}\r\n",
        {A, B}, 1, 2,
    ),
    Counted(
        "sources_and_methodology",
        f"One claim here.\n\n## Sources and Methodology\n\n- Alpha, {A}\n- Beta, {B}\n",
        {A, B}, 0, 2,
    ),
    Counted(
        "placeholders_are_no_addresses",
        f"Write https://... or https:// or www.alpha.org as you like; see {A}.",
        {A}, 1, 0,
    ),
    Counted(
        "html_reference_list",
        f"<p>One [1].</p>\n<h2>References</h2>\n<ol>\n<li><a href=\"{A}\">Alpha</a></li>\n<li><a href=\"{B}\">Beta</a></li>\n</ol>\n",
        {A, B}, 1, 2, 1,
    ),
    Counted(
        "numbers_behind_the_addresses",
        f"One [1]. Two [2][1].\n\nSources:\n{A} [1]\n{B} [2]\n",
        {A, B}, 3, 2,
    ),
    Counted(
        "no_list_at_all",
        "Claim [1]. Claim [2][3]. In [2024] and [12,13].",
        set(), 3, 0, 3,
    ),
    Counted(
        "setext_heading_and_details",
        f"One [1].\n\nReferences\n==========\n\n<details><summary>all</summary>\n\n1. {A}\n2. {B}\n\n</details>\n",
        {A, B}, 1, 2,
    ),
    Counted(
        "picks_in_a_numbered_list",
        f"# Best cafes\n\n1. [Alpha]({A}) is a must for espresso lovers.\n2. [Beta]({B}) serves cocktails.\n\nEnjoy.\n",
        {A, B}, 2, 0,
    ),
    Counted(
        "a_shopping_list_before_notes",
        f"## Shopping list\n1. [Feeder]({A})\n2. [Bath]({B})\n3. [Seed]({C})\n\n## Notes\nAll are in stock.\n",
        {A, B, C}, 3, 0,
    ),
    Counted(
        "picks_and_a_list_of_the_same_numbers",
        f"1. [Alpha]({A}): fast\n2. [Beta]({B}): known\n\nBoth win [1][2].\n\n## Sources\n1. [C]({C})\n2. [D]({D})\n",
        {A, B, C, D}, 4, 2,
    ),
    Counted(
        "cited_list_in_the_middle_without_heading",
        f"Birds sing [1]. They fly [2].\n\n1. [Alpha]({A})\n2. [Beta]({B})\n\n## Notes\nNone.\n",
        {A, B}, 2, 2,
    ),
    Counted(
        "numbered_addresses_before_a_last_word",
        f"Birds sing.\n\n1. {A}\n2. {B}\n\nLet me know if you need more.\n",
        {A, B}, 0, 2,
    ),
    Counted(
        "perplexity_hidden_span",
        f"""They sing[^1_1][^1_2]. They fly.[^1_3]
<span style="display:none">[^1_4][^1_5]</span>

<div align="center">⁂</div>

[^1_1]: {A}

[^1_2]: notes.pdf

[^1_3]: {C}

[^1_4]: {D}

[^1_5]: {E}
""",
        {A, C, D, E}, 3, 5,
    ),
    Counted(
        "gemini_numbers_before_the_stop",
        f"""The tool maps **Gamma**3. It is fast in winter1, and also in spring2. Version 4 of it costs $5.

* Owners of the GT3 praise it2.
* It “never sleeps”1.

#### **Works cited**

1. Alpha \\- Site, accessed May 1, 2025, [{A}]({A})
2. Beta, accessed May 1, 2025, [{B}]({B})
3. Gamma, accessed May 1, 2025, [{C}]({C})
""",
        {A, B, C}, 5, 3,
    ),
    Counted(
        "gemini_chinese_numbers_before_the_stop",
        f"""多数人有地图 1。其余的人借 “地图” 2，每月 3 次，共 12 项。**价格**很低3。

#### **引用的著作**

1. 地图研究, 访问时间为 五月 1, 2025， [{A}]({A})
2. 内部调研报告.docx
3. 价格, 访问时间为 五月 1, 2025， [{C}]({C})
""",
        {A, C}, 3, 3,
    ),
    Counted(
        "gemini_after_the_stop_has_no_markers_before_it",
        f"""Owners of the Atlas3. Generation praise it.1 The rest.2 Nobody reads maps.3 Some do.1

## Works cited

1. Alpha, {A}
2. Beta, {B}
3. Gamma, {C}
""",
        {A, B, C}, 4, 3,
    ),
    Counted(
        "a_list_that_is_not_cited_by_number",
        f"""Rooms cost little in winter. We chose room2. The rest is quiet.

## References

1. Alpha. {A}
2. Beta. {B}
3. Gamma. {C}
4. Delta. {D}
""",
        {A, B, C, D}, 0, 4,
    ),
    Counted(
        "unicode_superscripts",
        f"""Bought in 2022.¹ Owners noted growth² and loss³,⁴ over 5 m² and 10³ acres, R⁴ at 3 km².

## References

¹ Alpha: {A}
² Beta: {B}
³ Gamma: {C}
⁴ Delta: {D}
""",
        {A, B, C, D}, 4, 4,
    ),
    Counted(
        "exponents_are_no_superscripts",
        f"""A patch of 30 mag/arcsec² at x² or 4 km² ([Alpha]({A})).

## References

1. Alpha. {A}
2. Beta. {B}
3. Gamma. {C}
""",
        {A, B, C}, 1, 3,
    ),
    Counted(
        "pandoc_superscripts",
        f"""冬季喂食有益^1^。风险较小 ^1,\\ 2^。面积 8^2^ 米。

#### 引用的著作

1.  冬季喂食研究 - Alpha,
    > 檢索日期：5月 18, 2026，
    > [[{A}]{{.underline}}]({A})

2.  風險研究 - Beta,
    > 檢索日期：5月 18, 2026，
    > [[{B}]{{.underline}}]({B})
""",
        {A, B}, 3, 2,
    ),
    Counted(
        "sources_as_sub_headings",
        f"""It grew [1]. It fell [2][1].

## Sources & Citations

### [1] Alpha report

- **URL:** {A}
- **Cited:** 2 times

{"What the first of them says, at length. " * 12}

### [2] Beta report

- **URL:** {B}

Short.
""",
        {A, B}, 3, 2,
    ),
    Counted(
        "headings_that_begin_with_a_number_in_brackets",
        f"""## Papers

### [1] Alpha
- URL: {A}

### [2] Beta
- URL: {B}

## Citations

1. Alpha. {A}
2. Beta. {B}
""",
        {A, B}, 2, 2,
    ),
    Counted(
        "list_without_heading_before_a_last_remark",
        f"One claim ([Alpha]({A})).\n\n---\n- [Alpha]({A})\n- [Beta]({B})\n\n---\n\n*Report prepared on April 25, 2025.*\n",
        {A, B}, 1, 2,
    ),
    Counted(
        "windows_line_ends_and_a_label",
        f"One ([Alpha]({A})).\r\n\r\nSources:\r\n- [Alpha]({A})\r\n- [Beta]({B})\r\n\r\nNext come prices.\r\n\r\n- [Feeder]({C}) costs little\r\n",
        {A, B, C}, 2, 2,
    ),
    Counted(
        "ratings_behind_a_hard_space",
        f"Text [1]. Ratings:\u00a0[1, 2, 2].\n\n[1] {A}\n[2] {B}\n",
        {A, B}, 1, 2,
    ),
    Counted(
        "several_links_in_an_entry",
        f"""It holds (Sources: [Alpha]({A}), [Beta]({B})), as others said (Sources: [Lee et al. (2016), Kim (2011)]).

**Citations:**

1. The first matter – [Alpha]({A}).
2. The second – [Beta]({B}) (see refs. 1, 12–17).
3. A third without any; Lee et al. (2016).
4. The fourth – [Alpha]({A}), [Beta]({B}), [Gamma]({C}).

{"That is what all of it comes to, said once more and at some length. " * 3}
""",
        {A, B, C}, 2, 4,
    ),
    Counted(
        "kimi_several_addresses_in_a_footnote",
        f"""一点[^1^]。二点[^2^][^3^]。

## 来源

（以下均于 2026-08-16 访问）

[^1^]: {A} ；{B} （说明）
[^2^]: 本项目 README.md（说明）
[^3^]: 甲 — 说明，2026-07-04 — {C}
""",
        {A, B, C}, 3, 3,
    ),
    Counted(
        "anchors_into_a_list",
        f"""One<sup>[[1]](#ref1)</sup>, two [[2]](#ref2), three [\\[2\\]](#cite_note-2).

## References

<a id="ref1"></a>[1] Alpha. {A}

<a id="ref2"></a>[2] Beta. {B}
""",
        {A, B}, 3, 2,
    ),
    Counted(
        "more_between_brackets_than_numbers",
        f"One [1, p. 5]. Two [2, Table 3]. Three [cf. 1]. Four [e.g., 1, 2]. Five [#2]. Six [Lee, 2020], [0, 1].\n\n[1] {A}\n[2] {B}\n",
        {A, B}, 6, 2,
    ),
    Counted(
        "footnotes_with_a_comma_and_a_space",
        f"One[^1, ^2]. Two [^2,^1]. Three[^1].\n\n[^1]: It was said [alpha]({A})\n\n[^2]: It was denied [beta]({B})\n",
        {A, B}, 5, 2,
    ),
    Counted(
        "lettered_ids",
        f"One [S1]. Two [S2, S1]. Three [s2].\n\n### Sources\n- [S1] Alpha {A}\n- [S2] Beta {B}\n",
        {A, B}, 4, 2,
    ),
    Counted(
        "lettered_ids_in_lower_case",
        f"One [a1]. Two [a2, a1].\n\n### Sources\n- [a1] Alpha {A}\n- [a2] Beta {B}\n",
        {A, B}, 3, 2,
    ),
    Counted(
        "arrays_in_a_json_tail",
        f"One [1].\n\n[1] {A}\n[2] {B}\n\n{{\"score\": [1, 2], \"ok\": true}}\n",
        {A, B}, 1, 2,
    ),
    Counted(
        "formulas_between_dollars",
        f"Let $a_{{[1]}} = x^{{[2]}}$ hold for $5 [1], or $6 [2].\n\n[1] {A}\n[2] {B}\n",
        {A, B}, 2, 2,
    ),
    Counted(
        "a_label_in_two_languages",
        f"One.\n\n**Sources Consulted | 咨询来源**:\n- Alpha: {A}\n- Beta: {B}\n\n## Next\n\nMore.\n",
        {A, B}, 0, 2,
    ),
    Counted(
        "numbered_links_end_the_steps_of_a_plan",
        f"# Plan\n\nDo this:\n\n1.  **Feeder**: Buy a small one.[(7)]({A})\n\n2.  **Seed**: Fill it.[(8)]({B})\n\n3.  **Water**: Add a bath.[(7)]({A})\n",
        {A, B}, 3, 0,
    ),
    Counted(
        "numbered_links_end_the_last_bullets",
        f"It is worth it:\n\n- Fast [[1]]({A})\n- Cheap [[2]]({B})\n",
        {A, B}, 2, 0,
    ),
    Counted(
        "numbered_links_begin_a_closing_list",
        f"It is fast [[1]]({A}).\n\n[[1]]({A}) Alpha\n[[2]]({B}) Beta\n",
        {A, B}, 1, 2,
    ),
    Counted(
        "a_list_without_addresses_before_the_numbered_one",
        f"One.[1] Two.[1] Three.[2]({A}) Four.[3]\n\n### Sources\n\n- Alpha syndrome, Reviews.\n- Alpha syndrome, Genetics.\n\n## Citations\n\n1. Lee BL et al. Nat. 2005. PMID:15731757\n2. Lee BL et al. NEJM. 2006. PMID:16928994\n3. Kim G et al. Gen. 2014. PMID:24922459\n",
        {A}, 4, 5,
    ),
    Counted(
        "resources_that_are_links",
        f"Text.\n\n## Resources\n\n- [Alpha]({A})\n- [Beta]({B})\n\n## Next\n\nMore [Gamma]({C}).\n",
        {A, B, C}, 1, 2,
    ),
    Counted(
        "resources_that_are_prose",
        f"Text.\n\n## Resources\n\n- Money for a feeder comes from the state ([Alpha]({A}))\n- Time comes from [Beta]({B}) and others\n\nDone.\n",
        {A, B}, 2, 0,
    ),
    Counted(
        "an_entry_with_an_archived_copy",
        f"Text.\n\n## References\n\nLee, K. (2020). Birds. [{A}]({A}). Archived at {B}\n\nKim (2021). {C}\n",
        {A, B, C}, 0, 2,
    ),
    Counted(
        "a_remark_with_a_link_behind_the_list",
        f"Text [1].\n\n## References\n[1] Alpha {A}\n[2] Beta {B}\n\nI hope that this helps! See also [Gamma]({C}) for more on the matter and for pictures.\n",
        {A, B, C}, 2, 2,
    ),
    Counted(
        "issues_of_a_tracker",
        f"Mended ([#456] by [Lee]). Also [#7].\n\n[#456]: {A}\n[Lee]: {B}\n",
        {A, B}, 2, 2,
    ),
    Counted(
        "gemini_behind_code_emphasis_and_signs",
        f"""Call `feed(x)`.1 It is the _same thing_.2 So it ends : undefined;.1 Use **all of it.**2 See ![][image1].1 Also “so.”2— or not.

The version `v1`. 2 of them.

## Works cited

1. Alpha, accessed May 1, 2025, [{A}]({A})
2. Beta, accessed May 1, 2025, [{B}]({B})

[image1]: <data:image/png;base64,iVBORw0KGgo=>
""",
        {A, B}, 6, 2,
    ),
    Counted(
        "gemini_sentences_that_end_like_abbreviations",
        f"""This is the state of the art.1 The next step.2 See fig.2 and p.1 of vol.2 for the table.1

* Some say no.2
* See no.2 of them, and Art.1 too. The value $x_1$.2 It holds.

## Works cited

1. Alpha, accessed May 1, 2025, [{A}]({A})
2. Beta, accessed May 1, 2025, [{B}]({B})
""",
        {A, B}, 5, 2,
    ),
]  # fmt: skip
