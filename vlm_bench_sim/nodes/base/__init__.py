"""What all nodes of the bench share: names, domains, signatures, answers and the life cycle of their process."""
