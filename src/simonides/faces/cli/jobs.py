"""The commands about upkeep that waits to be done: jobs, run, list, retry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from simonides.faces.cli.exits import Ended, Exit
from simonides.faces.cli.options import Limit
from simonides.faces.cli.place import Place
from simonides.faces.cli.screen import note, say, say_json, say_table, visible
from simonides.faces.cli.words import Argument, Option

if TYPE_CHECKING:
    from simonides.model.job import Job

PAGE = 1_000


def jobs(place: Place) -> None:
    """Count the jobs by kind and state.

    Example: simonides jobs
    """
    with place.reading() as store:
        counts = store.jobs.counts()
    if place.as_json:
        say_json(counts)
        return
    rows = [(kind, state, str(count)) for kind, states in counts.items() for state, count in states.items() if count]
    say_table(("kind", "state", "jobs"), rows)
    if not rows:
        note("there are no jobs")


def run(
    place: Place,
    limit: Annotated[int | None, Option("--limit", "-l", metavar="N", min=0, help="No more than that.")] = None,
) -> None:
    """Do the jobs that are due.

    Ends with exit code 8 when one failed; it is put off and tried again later.

    Example: simonides jobs run
    """
    with place.changing() as store:
        done = store.jobs.run(limit)
        failures = store.jobs.failures
    if place.as_json:
        found = [{"kind": f.kind, "job_id": f.job_id, "code": f.error.code, "message": str(f)} for f in failures]
        say_json({"done": done, "failures": found})
    else:
        say(f"{done} jobs done")
        for failure in failures:
            note(visible(str(failure)))
    if failures:
        raise Ended(Exit.INCOMPLETE)


def list_(
    place: Place,
    state: Annotated[str | None, Option("--state", metavar="NAME", help="ready, running, done or dead.")] = None,
    limit: Limit = 100,
    after: Annotated[int, Option("--after", metavar="JOB", help="Go on behind this job.")] = 0,
) -> None:
    """List jobs in the order in which they were asked for.

    With --json each is an object on a line of its own.

    Example: simonides jobs list --state dead
    """
    left = limit
    with place.reading() as store:
        while True:
            size = min(PAGE, left) if limit else PAGE
            page = store.jobs.list(state=state, limit=size, after=after)
            if place.as_json:
                for job in page:
                    say_json(job.to_dict(), indent=None)
            else:
                say_table(("job", "kind", "namespace", "state", "tries", "not before", "error"), map(_cells, page))
            left -= len(page)
            if len(page) < size or (limit and left == 0):
                break
            after = page[-1].job_id
    if not place.as_json and limit and left == 0:
        note(f"there may be more; go on with --after {page[-1].job_id}")


def retry(place: Place, job_id: Annotated[int, Argument(metavar="JOB", help="As `jobs list` prints it.")]) -> None:
    """Make a job that was given up due again.

    Example: simonides jobs retry 7
    """
    with place.changing() as store:
        job = store.jobs.retry(job_id)
    if place.as_json:
        say_json(job.to_dict())
    else:
        say(visible(f"job {job.job_id} ({job.kind}) is {job.state}"))


def _cells(job: Job) -> list[str]:
    tries = f"{job.attempts}/{job.attempts_max}"
    at = job.run_after.strftime("%Y-%m-%d %H:%M:%S")
    return [str(job.job_id), job.kind, job.namespace or "", job.state, tries, at, job.last_error or ""]
