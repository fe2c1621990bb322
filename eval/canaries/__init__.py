"""What a judge is held against before a study is paid for: reports that cheat, planted errors, persons mixed up."""
