#!/usr/bin/env bash
# An agent without a model, in a shell: `--variant cmd:examples/agents/shell.sh`. It searches, looks closer, and cites what it says.
set -euo pipefail
question=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["text"])')

call() { # NAME ARGUMENTS FIELD: one call of a tool, one field of its answer
  drr tools call "$1" --args "$2" --json | python3 -c "import json, sys; answer = json.load(sys.stdin); print($3)"
}

quoted=$(python3 -c 'import json, sys; print(json.dumps({"query": sys.argv[1][:300], "limit": 3, "match": "any"}))' "$question")
first=$(call product_catalog_search "$quoted" 'answer["sources"][0]["url"] if answer["sources"] else ""')
[ -n "$first" ] || { echo "Nothing in the shop fits this question."; exit; }
product="{\"product_id\": \"${first##*/}\", \"part\": \"short\"}"
read -r price title < <(call get_product_details "$product" 'answer["data"]["price"], answer["sources"][0]["title"]')
[ "$price" = None ] && priced="has no known price" || priced="costs \$$price"

printf '# Answer\n\n%s %s [1].\n\n## Sources\n\n[1] %s: %s\n' "$title" "$priced" "$title" "$first"
