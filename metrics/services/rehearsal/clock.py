"""The clock of a simulated campaign: working hours of five days, the last of which is today."""

from datetime import datetime, timedelta

from annotate.services.storage.moments import Checkpoint, database_moment

N_DAYS = 5
WORKDAY = timedelta(hours=7)
WORKING_TIME = N_DAYS * WORKDAY
LAST_TURN = timedelta(minutes=10)  # nobody begins a batch in the last minutes of a day
ENDED_AGO = timedelta(minutes=4)
_NIGHT = timedelta(days=1) - WORKDAY


class WorkingClock:
    """Working time since the beginning, and the moments of the database at which it was noted.

    Time runs at least as fast as the database's, so that what takes long here takes long there.
    """

    def __init__(self) -> None:
        self._worked = timedelta(0)
        self._notes: list[tuple[datetime, timedelta]] = []
        self.note()

    def note(self, *, work: timedelta = timedelta(0)) -> None:
        """Note the present moment, after this working time since the last note."""
        moment = database_moment()
        if self._notes:
            last_moment, last_worked = self._notes[-1]
            self._worked = last_worked + max(work, moment - last_moment)
        self._notes.append((moment, self._worked))

    def wait_for(self, share: float) -> None:
        """Let time pass until this share of the working time is over, or the next day begins."""
        worked = max(self._worked, share * WORKING_TIME)
        if -worked % WORKDAY < LAST_TURN:
            worked += -worked % WORKDAY
        self.note(work=worked - self._worked)

    def checkpoints(self) -> list[Checkpoint]:
        """The moments noted and those that they stand for: the last one is some minutes ago."""
        end = database_moment() - ENDED_AGO - _time_since_beginning(self._worked)
        return [
            Checkpoint(moment, end + _time_since_beginning(worked))
            for moment, worked in self._notes
        ]


def _time_since_beginning(worked: timedelta) -> timedelta:
    """The time that passed during this working time, nights among it."""
    return worked + worked // WORKDAY * _NIGHT
