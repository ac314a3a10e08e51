"""How far a judge that sees poses agrees with the one that sees everything: successes and near misses, judged by both."""
