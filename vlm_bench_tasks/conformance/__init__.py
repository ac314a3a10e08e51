"""What every task must keep to, whoever wrote it: twelve checks that name no task."""

from vlm_bench_tasks.conformance.check import CHECKS, Check, Finding, check
from vlm_bench_tasks.conformance.subject import Subject

__all__ = ['CHECKS', 'Check', 'Finding', 'Subject', 'check']
