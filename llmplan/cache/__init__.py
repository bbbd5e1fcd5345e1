"""What is kept between runs: the checked library, derivations, templates, answers."""
