"""DeepResearch Retail: a shop you can hold in your hand, and a bench to measure research agents in it.

The rooms of this package (`drr.env`, `drr.tools`, ...) are the folders of those names beside this one.
"""
