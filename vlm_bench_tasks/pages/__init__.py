"""The pages that are made of what was measured, drawn and recorded: of results, tasks, looks, perturbations."""
