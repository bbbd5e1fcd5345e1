"""How far off an answer may be: measured bands, the author's ranges, and plans that must hold at every point of them."""
