"""What if: relaxations, sensitivities, sweeps and scenarios, asked of the lowered plan."""
