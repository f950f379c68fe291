"""Work of a kind that is there for the tests: it does what each of them makes of it."""

from annotate.models import Work


class SumsWork:
    """A kind of work that is there for the tests: `do` is what each of them makes of it."""

    def __init__(self):
        self.n_done = 0
        self.ended = []
        self.do = lambda work: None

    def perform(self, work):
        self.n_done += 1
        self.do(work)

    def on_finished(self, work):
        self.ended.append(work.state)


def fresh(work):
    return Work.objects.get(pk=work.pk)


def state(work):
    return Work.objects.get(pk=work.pk).state


def raising(error):
    def do(work):
        raise error

    return do
