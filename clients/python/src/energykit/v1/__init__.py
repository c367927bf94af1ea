"""Written by proto/generate from proto/energykit/v1."""
