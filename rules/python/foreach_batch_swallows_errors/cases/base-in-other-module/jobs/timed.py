from jobs.base import Job


class TimedJob(Job):
    pass
