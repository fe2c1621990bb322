"""An agent of Inspect AI, on both sides: `inspect eval drr/retail --solver examples/inspect_agent.py@shopper` evaluates it there, and here
it is a variant: `drr ask "Which feeder?" --shop demo/shop --user U --variant examples/inspect_agent.py:shopper`.

`shop_tools()` gives the tools of whichever question is being answered. Without `submit=False` Inspect's `react` goes on asking until
the model calls its tool `submit`, which not every model does.
"""

from drr.extras.inspect import shop_tools
from inspect_ai.agent import Agent, agent, react


@agent
def shopper() -> Agent:
    return react(tools=shop_tools(), submit=False)
