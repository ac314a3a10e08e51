"""What every node of the bench has in common: names, domains, signatures, answers, and the life of its process."""
