"""Kitchen: played by the arm with the longer hand."""

from vlm_bench_tasks.authoring import Family

FAMILY = Family(robot='acme_arm', cameras='acme:front,wrist', view='acme:front')
