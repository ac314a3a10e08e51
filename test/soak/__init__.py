"""Many episodes one after the other, and what the processes hold meanwhile: `make soak`."""
