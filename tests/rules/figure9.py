"""The paper's showcase answer as far as its figures go: asked to stay under $300, its own budget table comes to $330.

Words are ours; amounts, structure and omissions ("...") are the paper's. The twin has the amounts put right.
"""

from __future__ import annotations

QUERY = (
    "I want to turn my backyard into a bird sanctuary with feeders, houses and plants. Keep my total spending under \\$300 "
    "over the next three months. What birds are native to my state?"
)

REPORT = """## Complete Oklahoma Bird Sanctuary Design Under \\$300

Based on your location in North Oscar, Oklahoma, this plan draws native species all year.

### Native Birds

Oklahoma hosts over 60 backyard bird species [1].

### Components

#### Phase 1: Core Feeding Station (Month 1 - \\$120)

##### Multi-Level Feeding Station

**ERYTLLY Bird Feeding Station Kit - \\$43.99** [2]

- 91" tall rust-resistant pole with 4 adjustable hooks
- No tools required for assembly
- 4.5-star rating from 2,067 reviews

...

**Phase 1 Total: \\$128.96**

#### Phase 2: Nesting & Shelter (Month 2 - \\$85)

### Budget Summary

Phase	Items	Cost	Timeline
1	Feeding station & feeders	\\$129	Month 1
2	Bird houses & shelter	\\$85	Month 2
3	Plants & supplies	\\$116	Month 3
<b>Total</b>		<b>\\$330</b>	<b>3 months</b>

Note: You can reduce costs by starting with the basic feeding station (\\$44) and one feeder (\\$37) in month 1, bringing your total closer to \\$300.

##### Sources

[1] Oklahoma birds poster: <https://wildlife.example/posters/backyard-birds/>

[2] ERYTLLY Bird Feeding Station Kit: <http://ecommerce.com/B09G3KKBK7Y>
"""

TWIN = (
    REPORT.replace("(Month 1 - \\$120)", "(Month 1 - \\$129)")
    .replace("\\$116", "\\$81")
    .replace("<b>\\$330</b>", "<b>\\$295</b>")
    .replace(", bringing your total closer to \\$300", "")
)
