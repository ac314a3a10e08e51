"""Our planner keeps the planners' contract."""

import pytest

from test.motion.planner_contract import PlannerContract


class TestOurs(PlannerContract):
    @pytest.fixture
    def subject(self, planner):
        return planner
