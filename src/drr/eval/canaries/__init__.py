"""Tests a judge before a study is paid for, with reports that cheat, planted errors and swapped persons."""
