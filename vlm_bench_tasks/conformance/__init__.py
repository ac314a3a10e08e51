"""Requirements on every task: fourteen checks that name no specific task."""

from vlm_bench_tasks.conformance.check import CHECKS, Check, Finding, check
from vlm_bench_tasks.conformance.subject import Subject

__all__ = ['CHECKS', 'Check', 'Finding', 'Subject', 'check']
