"""How far off an answer may be: measured bands, the author's ranges, and requirements at every point of them."""
