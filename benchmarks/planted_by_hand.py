"""Clean reports written by hand, each in a style of its own. Braces take figures from the shop: `{a}`, `{b}`, `{c}` are
products with `.name .price .stars .count .url .whole`, `{u}` the user, `{o}` one of his orders, `{s}` his statistics."""

from __future__ import annotations

REPORTS: tuple[str, ...] = (
    # 1 a short note
    "Short answer: get the [{a.name}]({a.url}). It is ${a.price}, which leaves you room to spare, and people rate it {a.stars} out of 5.",
    # 2 question and answer
    "**Which one?**\n\nThe {a.name} [1].\n\n**What does it cost?**\n\n${a.price} today [1].\n\n**Why not the other?**\n\nThe {b.name} is ${b.price} and rated {b.stars}/5 [2].\n\nReferences:\n1. {a.name} {a.url}\n2. {b.name} {b.url}",
    # 3 a letter
    "Dear {u.first},\n\nthank you for asking. With a home in {u.city} I would begin with the {a.name}; at ${a.price} it is the sensible start ([shop page]({a.url})). The {b.name} for ${b.price} can follow ([shop page]({b.url})).\n\nWarm regards",
    # 4 numbered list of picks
    "1. [{a.name}]({a.url}) - ${a.price}, {a.stars} stars. Good for every day.\n2. [{b.name}]({b.url}) - ${b.price}, {b.stars} stars. Good for guests.\n3. [{c.name}]({c.url}) - ${c.price}, {c.stars} stars. The spare.\n\nTotal for all three: ${abc}.",
    # 5 pros and cons
    "## {a.name}\n\nPrice: ${a.price} [^1]\n\nPros\n- {a.count} ratings, {a.stars} stars on average\n- in stock here\n\nCons\n- one colour only\n\n## {b.name}\n\nPrice: ${b.price} [^2]\n\nPros\n- {b.count} ratings, {b.stars} stars on average\n\nCons\n- needs some space\n\n[^1]: {a.url}\n[^2]: {b.url}",
    # 6 comparison table with a verdict
    "| | {a.name} | {b.name} |\n|---|---|---|\n| Price | ${a.price} | ${b.price} |\n| Page | {a.url} | {b.url} |\n\nOf the two, the first is what most households need.",
    # 7 shopping list with quantities
    "Shopping list\n\n- 2 x {a.name} at ${a.price} each: ${aa} ({a.url})\n- 1 x {b.name} at ${b.price} ({b.url})\n\nTotal: ${aab}",
    # 8 summing in a sentence
    "Take the {a.name} [1] and the {b.name} [2]: ${a.price} + ${b.price} = ${ab} in total, comfortably inside the limit.\n\n[1] {a.url}\n[2] {b.url}",
    # 9 history first
    "You have placed {s.orders} orders with us [1], so I know a little about your taste. On {o.date} you bought the {o.name} [2]; the {a.name} ([3]) goes well with it and costs ${a.price} [3].\n\nSources\n[1] user://{u.id}/statistics\n[2] user://{u.id}/orders/{o.id}\n[3] {a.url}",
    # 10 chatty, rounded
    "Okay, so: the {a.name} runs about ${a.whole} ([link]({a.url})) and the {b.name} about ${b.whole} ([link]({b.url})). I'd go for the first, honestly.",
    # 11 two months
    "### Month 1\n\n**{a.name}** ${a.price} [1]\n\n### Month 2\n\n**{b.name}** ${b.price} [2]\n\nAcross both months the total is ${ab}.\n\n### References\n[1] {a.name}. {a.url}\n[2] {b.name}. {b.url}",
    # 12 Chinese headings
    "## 推荐\n\n{a.name}，价格 ${a.price}【1】。评分 {a.stars}/5【1】。\n\n## 参考文献\n\n1. [{a.name}]({a.url})",
    # 13 no price at all
    "For a quiet room I would look at the {a.name} [1] first and the {b.name} [2] second. The first is rated {a.stars} stars, the second {b.stars} stars.\n\n[1] {a.name}: {a.url}\n[2] {b.name}: {b.url}",
    # 14 warning note
    "> **Note** Prices change.\n\nToday the {a.name} is listed at ${a.price} ({a.url}). If that is too much, wait; nothing here is urgent.",
    # 15 decision tree
    "- If you rent: [{a.name}]({a.url}), ${a.price}.\n- If you own: [{b.name}]({b.url}), ${b.price}.\n- If unsure: neither, for now.",
    # 16 ranking with stars
    "**Best overall: {a.name}** - ${a.price} [1]\n\nRated {a.stars} out of 5 by {a.count} reviewers.\n\n**Runner-up: {b.name}** - ${b.price} [2]\n\nRated {b.stars} out of 5 by {b.count} reviewers.\n\n## Sources\n1. {a.name} - {a.url}\n2. {b.name} - {b.url}",
    # 17 web facts
    "A survey of 412 gardens found that 63 species visit feeders in winter [1]. For your yard in {u.city}, {u.state} the {a.name} at ${a.price} is a fair start [2].\n\n[1] Extension guide: https://extension.example/backyard/birds\n[2] {a.name}: {a.url}",
    # 18 bare addresses
    "{a.name}\n{a.url}\n${a.price}\n\n{b.name}\n{b.url}\n${b.price}",
    # 19 executive summary
    "# Executive summary\n\n{u.first}, your budget holds. The plan has two parts and costs ${ab} in all.\n\n# Details\n\n1. The {a.name} ({a.url}) for ${a.price}.\n2. The {b.name} ({b.url}) for ${b.price}.\n\n# Risks\n\nDelivery to {u.city} may take a week.",
    # 20 budget table with remainder
    "| Item | Cost |\n|---|---|\n| [{a.name}]({a.url}) | ${a.price} |\n| [{b.name}]({b.url}) | ${b.price} |\n| **Total** | **${ab}** |\n| Budget | $2,000 |\n| Remaining | ${left} |",
    # 21 quantity table
    "| Product | Qty | Unit price | Line total |\n|---|---|---|---|\n| [{a.name}]({a.url}) | 2 | ${a.price} | ${aa} |\n| [{b.name}]({b.url}) | 1 | ${b.price} | ${b.price} |\n| Total | 3 | | ${aab} |",
    # 22 order history answer
    "Your last orders at a glance:\n\n- {o.date}: {o.name}, order {o.id}\n\nIn all there are {s.orders} orders in your history (user://{u.id}/statistics).",
    # 23 region advice
    "As a resident of {u.state}, you know the weather better than any guide. What I can add: the {a.name} ([page]({a.url})) has {a.stars} stars from {a.count} ratings.",
    # 24 alternatives
    "Main pick: [{a.name}]({a.url}) for ${a.price}.\n\nAlternatively, the [{b.name}]({b.url}) for ${b.price}; optional, if you need a second one: [{c.name}]({c.url}) for ${c.price}.",
    # 25 dense paragraph
    "Three things matter: size, noise and price. On size the {a.name} wins [1]; on noise there is nothing to choose between it and the {b.name} [2]; on price it is ${a.price} [1] against ${b.price} [2]. I would take whichever ships sooner to {u.city}.\n\nSources: [1] {a.url} [2] {b.url}",
    # 26 reference style links
    "Have a look at the [{a.name}][first] and the [{b.name}][second].\n\n[first]: {a.url}\n[second]: {b.url}",
    # 27 definition list feel
    "**{a.name}**\nPrice: ${a.price}\nRating: {a.stars}/5 ({a.count} ratings)\nPage: {a.url}\n\n**{b.name}**\nPrice: ${b.price}\nRating: {b.stars}/5 ({b.count} ratings)\nPage: {b.url}",
    # 28 question back
    "Before I recommend anything: how large is the room? Rooms of 180 square feet need a unit rated for at least 120 cubic feet a minute ([guide](https://homehealth.example/air)). If yours is smaller, the {a.name} ([${a.price}]({a.url})) is plenty.",
    # 29 html
    '<p>Take the <a href="{a.url}">{a.name}</a>, now ${a.price}.</p>\n<p>Rated {a.stars} of 5.</p>',
    # 30 spending review
    "Your spending so far\n\nYou placed {s.orders} orders; the latest record is at user://{u.id}/statistics. A further ${a.price} for the {a.name} ({a.url}) keeps you inside the budget of $2,000.",
    # 31 step by step
    "**Step 1.** Clear 30 minutes.\n\n**Step 2.** Unpack the {a.name} (${a.price}, {a.url}).\n\n**Step 3.** Keep the carton for 14 days.\n\n**Step 4.** Enjoy.",
    # 32 gift
    "For the birthday: [{a.name}]({a.url}), ${a.price}. Wrap it, add a card for $5 from the corner shop, done.",
    # 33 skeptical
    "I would not spend more than $2,000 on this. The {a.name} [1] costs ${a.price} and does the job; anything beyond is vanity.\n\n1. {a.name} {a.url}",
    # 34 bulleted facts with nested sources
    "- {a.name}\n    - costs ${a.price} [[1]]({a.url})\n    - {a.stars} stars [[1]]({a.url})\n- {b.name}\n    - costs ${b.price} [[2]]({b.url})\n    - {b.stars} stars [[2]]({b.url})\n\nSum of both: ${ab}",
)
