"""Generated pages and pictures: results, tasks, perturbations, and the look of scenes."""
