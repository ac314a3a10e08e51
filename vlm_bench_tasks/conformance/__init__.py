"""Requirements on every task, whoever wrote it: twelve checks that do not depend on the task."""

from vlm_bench_tasks.conformance.check import CHECKS, Check, Finding, check
from vlm_bench_tasks.conformance.subject import Subject

__all__ = ['CHECKS', 'Check', 'Finding', 'Subject', 'check']
