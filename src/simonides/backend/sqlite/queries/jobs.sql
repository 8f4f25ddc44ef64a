-- name: put
-- A job to do. An open one of the same key stays the only one; while it runs it is told to run once more.
INSERT INTO jobs (kind, namespace, payload, idempotency_key, attempts_max, run_after, created_at)
VALUES (:kind, :namespace, :payload, :key, :attempts_max, :run_after, :created_at)
ON CONFLICT (kind, namespace, idempotency_key) WHERE state IN ('ready', 'running') DO UPDATE
SET again = (state = 'running'), run_after = min(run_after, excluded.run_after)
RETURNING job;

-- name: due
-- Whether there is anything to do.
SELECT EXISTS (SELECT 1 FROM jobs WHERE state = 'ready' AND run_after <= :now
    AND kind IN (SELECT value FROM json_each(:kinds)) AND (:namespace IS NULL OR namespace = :namespace))
  OR EXISTS (SELECT 1 FROM jobs WHERE state = 'running' AND lease_until < :now
    AND (:namespace IS NULL OR namespace = :namespace));

-- name: bury
-- Jobs that took their worker with them as often as they may be tried.
UPDATE jobs SET state = 'dead', lease_owner = NULL, lease_until = NULL, finished_at = :now, run_after = :now,
  last_error = 'lease_expired: the worker ended ' || attempts || ' times before the job did'
WHERE state = 'running' AND lease_until < :now AND attempts >= attempts_max
  AND (:namespace IS NULL OR namespace = :namespace) RETURNING job;

-- name: claim
-- The job that has waited longest becomes this worker's, for the time of a lease.
UPDATE jobs SET state = 'running', attempts = attempts + 1, again = 0, lease_owner = :owner, lease_until = :until
WHERE job = (SELECT job FROM (
    SELECT job, run_after FROM jobs WHERE state = 'ready' AND run_after <= :now
      AND kind IN (SELECT value FROM json_each(:kinds)) AND (:namespace IS NULL OR namespace = :namespace)
    UNION ALL
    SELECT job, run_after FROM jobs WHERE state = 'running' AND lease_until < :now
      AND kind IN (SELECT value FROM json_each(:kinds)) AND (:namespace IS NULL OR namespace = :namespace))
  ORDER BY run_after, job LIMIT 1)
RETURNING job, kind, namespace, payload, idempotency_key, state, attempts, attempts_max, run_after, lease_owner,
  lease_until, last_error, created_at, finished_at;

-- name: renew
-- A longer lease for a worker that still has one.
UPDATE jobs SET lease_until = :until WHERE job = :job AND state = 'running' AND lease_owner = :owner RETURNING job;

-- name: finish
-- The job is done, or starts anew when it was asked for while it ran.
UPDATE jobs SET state = iif(again, 'ready', 'done'), attempts = iif(again, 0, attempts), again = 0, lease_owner = NULL,
  lease_until = NULL, last_error = NULL, run_after = :now, finished_at = iif(again, NULL, :now)
WHERE job = :job AND state = 'running' AND lease_owner = :owner RETURNING job;

-- name: fail
-- The job is tried again later, or is given up after as many attempts as it may have.
UPDATE jobs SET state = iif(attempts >= attempts_max AND NOT again, 'dead', 'ready'),
  attempts = iif(attempts >= attempts_max AND again, 0, attempts), again = 0,
  finished_at = iif(attempts >= attempts_max AND NOT again, :now, NULL),
  lease_owner = NULL, lease_until = NULL, last_error = :error, run_after = :run_after
WHERE job = :job AND state = 'running' AND lease_owner = :owner RETURNING state;

-- name: release
-- The job was interrupted: back into the queue as if it had not been tried.
UPDATE jobs SET state = 'ready', attempts = attempts - 1, lease_owner = NULL, lease_until = NULL, run_after = :now
WHERE job = :job AND state = 'running' AND lease_owner = :owner;

-- name: twin
-- The open job of the same key as a closed one.
SELECT o.job FROM jobs d JOIN jobs o ON o.kind = d.kind AND o.namespace = d.namespace
  AND o.idempotency_key = d.idempotency_key AND o.state IN ('ready', 'running')
WHERE d.job = :job AND d.state = 'dead';

-- name: retry
-- A job that waits or was given up is due now, with all its attempts.
UPDATE jobs SET state = 'ready', attempts = 0, run_after = :now, finished_at = NULL
WHERE job = :job AND state IN ('ready', 'dead') RETURNING job;

-- name: drop
-- A job ends.
DELETE FROM jobs WHERE job = :job;

-- name: forget
-- The oldest of many finished jobs end.
DELETE FROM jobs WHERE job IN (
  SELECT job FROM jobs WHERE state = 'done' ORDER BY run_after DESC, job DESC LIMIT :limit OFFSET :kept);

-- name: get
-- One job.
SELECT job, kind, namespace, payload, idempotency_key, state, attempts, attempts_max, run_after, lease_owner,
  lease_until, last_error, created_at, finished_at
FROM jobs WHERE job = :job;

-- name: newest
-- The last job of a kind that is not done.
SELECT job, kind, namespace, payload, idempotency_key, state, attempts, attempts_max, run_after, lease_owner,
  lease_until, last_error, created_at, finished_at
FROM jobs WHERE state IN ('ready', 'running', 'dead') AND kind = :kind AND namespace = :namespace
ORDER BY job DESC LIMIT 1;

-- name: list
-- Jobs in the order in which they were asked for.
SELECT job, kind, namespace, payload, idempotency_key, state, attempts, attempts_max, run_after, lease_owner,
  lease_until, last_error, created_at, finished_at
FROM jobs WHERE job > :after AND (:state IS NULL OR state = :state) AND (:namespace IS NULL OR namespace = :namespace)
ORDER BY job LIMIT :limit;

-- name: counts
-- How many jobs of each kind are in each state.
SELECT kind, state, count(*) FROM jobs WHERE :namespace IS NULL OR namespace = :namespace GROUP BY kind, state;
