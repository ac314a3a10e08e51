"""Golden digests: what episodes and worlds came to when they were last looked at; `python -m test.golden` renews them."""
