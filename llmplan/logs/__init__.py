"""What a training run printed: logs of any length, read as `templates/*/log.plan` say what a line means."""
