"""Conversion between reports or events and the fields of their messages. Does not use ROS."""

from typing import Any

from vlm_bench_sim.core.codes import EventKind, Verdict
from vlm_bench_sim.core.errors import VlmBenchError
from vlm_bench_tasks.judging.report import NOT_SAID, Event, LeafReport, Report


def report_fields(report: Report, stamp_ns: int) -> dict[str, Any]:
    """Return the fields of a vlm_bench_msgs/Report. `stamp_ns` is simulated time."""
    seconds, rest = divmod(stamp_ns, 1_000_000_000)
    return {
        'header': {'stamp': {'sec': seconds, 'nanosec': rest}, 'frame_id': ''},
        'token': report.token,
        'verdict': report.verdict.code,
        'seq': report.seq,
        'sim_seconds': report.sim_seconds,
        'progress': report.progress,
        'score': report.score,
        'reward': report.reward,
        'leaves': [{'words': leaf.words, 'holds': leaf.holds, 'distance': leaf.distance} for leaf in report.leaves],
        'causes': list(report.causes),
        'assistance': list(report.assistance),
        'perturbations': list(report.perturbations),
        'drops': report.drops,
        'violations': report.violations,
        'judged_by': report.judged_by,
        'isolation': report.isolation,
        'versions': list(report.versions),
    }


def read_report(message: Any) -> Report:
    """Return the report in a message.

    Raises:
        VlmBenchError: its verdict is unknown.
    """
    verdicts, told = list(Verdict), int(message.verdict)
    if told >= len(verdicts):
        raise VlmBenchError(f'A report has the unknown verdict {told}; known are 0 to {len(verdicts) - 1}. Use the version that wrote it.')
    return Report(
        verdict=verdicts[told],
        seq=int(message.seq),
        sim_seconds=float(message.sim_seconds),
        progress=float(message.progress),
        score=float(getattr(message, 'score', NOT_SAID)),  # missing in older bags
        reward=float(message.reward),
        leaves=tuple(LeafReport(leaf.words, bool(leaf.holds), float(leaf.distance)) for leaf in message.leaves),
        causes=tuple(message.causes),
        assistance=tuple(message.assistance),
        perturbations=tuple(getattr(message, 'perturbations', ())),  # missing in older bags
        drops=int(getattr(message, 'drops', 0)),
        violations=int(message.violations),
        judged_by=message.judged_by,
        isolation=message.isolation,
        versions=tuple(message.versions),
        token=message.token,
    )


def event_fields(event: Event, token: str) -> dict[str, Any]:
    """Return the fields of a vlm_bench_msgs/Event."""
    return {'token': token, 'seq': event.seq, 'kind': int(event.kind), 'source': event.source, 'text': event.text}


def read_event(message: Any) -> Event:
    """Return the event in a message. An unknown kind becomes a fault, since it may mean anything."""
    seq, kind = int(message.seq), int(message.kind)
    if kind not in set(EventKind):
        told = f'an event has the unknown kind {kind} ({message.text}); judge with the version that sent it'
        return Event(seq, EventKind.FAULT, message.source, told)
    return Event(seq, EventKind(kind), message.source, message.text)
