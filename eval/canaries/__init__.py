"""The tests of a judge before a study is paid for: reports that cheat, planted errors, persons mixed up."""
