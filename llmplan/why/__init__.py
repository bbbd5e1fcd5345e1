"""Why a run had no memory left: the message of PyTorch, the frames above it, and the sizes that the plan asks for."""
