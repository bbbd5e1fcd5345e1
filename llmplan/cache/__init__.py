"""Results kept between runs: the analysed grammar, the checked library, derivations, answers."""
