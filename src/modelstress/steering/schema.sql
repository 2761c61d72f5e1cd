-- Tables of a steered study beside procrastinate's, in a schema of its own, and what its workers may
-- call. Functions run with the rights of the schema's owner: the workers' role reads no table.

CREATE TABLE about (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    description jsonb NOT NULL,
    finished boolean NOT NULL DEFAULT false
);

-- One row for each start of the servers: its key is the id of its first cell and its number.
CREATE TABLE starts (
    kind text NOT NULL CHECK (kind IN ('planned', 'anchor')),
    cell text NOT NULL CHECK (length(cell) <= 200),
    number integer NOT NULL CHECK (number BETWEEN 0 AND 32767),
    state text NOT NULL DEFAULT 'queued' CHECK (
        state IN ('queued', 'measuring', 'delivered', 'kept', 'failed', 'left_out')),
    fence bigint NOT NULL DEFAULT 0,   -- of the last permit to measure it; only grows
    contents text NOT NULL DEFAULT '', -- digest of what it is measured with
    levels jsonb,                      -- of a cell that a strategy added; NULL: the plan has it
    queue text NOT NULL DEFAULT '',
    priority integer NOT NULL DEFAULT 0,
    job bigint,                        -- procrastinate's
    worker text,
    failures integer NOT NULL DEFAULT 0,
    late integer NOT NULL DEFAULT 0,   -- results that came with an old fence
    why text NOT NULL DEFAULT '',
    taken_at timestamptz,
    ended_at timestamptz,
    PRIMARY KEY (kind, cell, number)
);
CREATE INDEX starts_state ON starts (kind, state);

-- What was delivered and not collected yet.
CREATE TABLE results (
    kind text NOT NULL,
    cell text NOT NULL,
    number integer NOT NULL,
    archive bytea NOT NULL,
    PRIMARY KEY (kind, cell, number),
    FOREIGN KEY (kind, cell, number) REFERENCES starts ON DELETE CASCADE
);
ALTER TABLE results ALTER COLUMN archive SET STORAGE EXTERNAL; -- it is compressed

CREATE TABLE members (
    name text PRIMARY KEY CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9.-]{0,79}$'),
    machine text NOT NULL CHECK (length(machine) <= 200),
    description jsonb NOT NULL CHECK (length(description::text) <= 20000),
    worker bigint,                     -- procrastinate's
    state text NOT NULL DEFAULT 'joining' CHECK (
        state IN ('joining', 'anchors', 'waiting', 'measuring', 'refused', 'gone')),
    now text NOT NULL DEFAULT '' CHECK (length(now) <= 300),
    why text NOT NULL DEFAULT '' CHECK (length(why) <= 1000),
    delivered integer NOT NULL DEFAULT 0,
    told_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Programs of tools, by the digest of all of them.
CREATE TABLE programs (
    digest text PRIMARY KEY,
    archive bytea NOT NULL
);

CREATE FUNCTION study() RETURNS TABLE (description jsonb, finished boolean)
    LANGUAGE sql AS 'SELECT a.description, a.finished FROM about a';

CREATE FUNCTION shipped_programs(p_digest text) RETURNS bytea
    LANGUAGE sql AS 'SELECT archive FROM programs WHERE digest = p_digest';

CREATE FUNCTION join_study(p_name text, p_machine text, p_description jsonb) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT count(*) FROM members) >= 10000 THEN
        RAISE 'too many workers have joined';
    END IF;
    INSERT INTO members (name, machine, description) VALUES (p_name, p_machine, p_description)
    ON CONFLICT (name) DO UPDATE
        SET machine = p_machine, description = p_description, state = 'joining', why = '', now = '',
            told_at = clock_timestamp();
END;
$$;

CREATE FUNCTION tell(p_name text, p_worker bigint, p_state text, p_now text, p_why text)
    RETURNS void LANGUAGE sql AS $$
    UPDATE members SET worker = coalesce(p_worker, worker), state = p_state, now = p_now,
        why = left(p_why, 1000), told_at = clock_timestamp()
    WHERE name = p_name;
$$;

-- A permit to measure: only for the job that this worker has fetched and still holds, and only
-- while the start has no result. NULL: leave it alone.
CREATE FUNCTION take(p_job bigint, p_worker bigint, p_name text, p_cell text, p_number integer)
    RETURNS TABLE (fence bigint, contents text, levels jsonb) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM procrastinate_jobs j
        WHERE j.id = p_job AND j.status = 'doing' AND j.worker_id = p_worker FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    UPDATE members m SET state = 'measuring', worker = p_worker, told_at = clock_timestamp(),
        now = left(p_cell, 280) || ' i' || lpad(p_number::text, 2, '0') WHERE m.name = p_name;
    RETURN QUERY
        UPDATE starts s SET state = 'measuring', fence = s.fence + 1, worker = p_name,
            taken_at = clock_timestamp()
        WHERE s.kind = 'planned' AND s.cell = p_cell AND s.number = p_number AND s.job = p_job
            AND s.state IN ('queued', 'measuring')
        RETURNING s.fence, s.contents, s.levels;
END;
$$;

-- A permit to measure an anchor once more; its number is the next free one.
CREATE FUNCTION take_anchor(p_name text, p_cell text)
    RETURNS TABLE (number integer, fence bigint) LANGUAGE plpgsql AS $$
DECLARE
    _next integer;
BEGIN
    IF NOT (SELECT a.description -> 'anchors' ? p_cell FROM about a) THEN
        RETURN;
    END IF;
    LOCK TABLE about IN SHARE ROW EXCLUSIVE MODE; -- one after the other
    SELECT coalesce(max(s.number) + 1, 0) INTO _next
        FROM starts s WHERE s.kind = 'anchor' AND s.cell = p_cell;
    RETURN QUERY
        INSERT INTO starts AS s (kind, cell, number, state, fence, worker, taken_at)
        VALUES ('anchor', p_cell, _next, 'measuring', 1, p_name, clock_timestamp())
        RETURNING s.number, s.fence;
END;
$$;

-- Accepts a result once, and only with the fence of the last permit.
CREATE FUNCTION deliver(
    p_kind text, p_cell text, p_number integer, p_fence bigint, p_name text, p_archive bytea
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    _start starts;
BEGIN
    IF octet_length(p_archive) > (SELECT (description ->> 'most_bytes')::bigint FROM about) THEN
        RETURN 'large';
    END IF;
    SELECT * INTO _start FROM starts s
        WHERE s.kind = p_kind AND s.cell = p_cell AND s.number = p_number FOR UPDATE;
    IF NOT FOUND THEN
        RETURN 'late';
    END IF;
    IF _start.fence = p_fence AND _start.state IN ('delivered', 'kept') THEN
        RETURN 'again'; -- the answer to the first time was lost
    END IF;
    IF _start.fence <> p_fence OR _start.state <> 'measuring' THEN
        UPDATE starts s SET late = s.late + 1
            WHERE s.kind = p_kind AND s.cell = p_cell AND s.number = p_number;
        RETURN 'late';
    END IF;
    INSERT INTO results VALUES (p_kind, p_cell, p_number, p_archive);
    UPDATE starts s SET state = 'delivered', worker = p_name, ended_at = clock_timestamp()
        WHERE s.kind = p_kind AND s.cell = p_cell AND s.number = p_number;
    UPDATE members m SET delivered = m.delivered + 1, state = 'waiting', now = '',
        told_at = clock_timestamp() WHERE m.name = p_name;
    RETURN 'accepted';
END;
$$;

-- A start that its worker cannot measure goes back: by an error, which counts, or because it ends.
CREATE FUNCTION give_back(
    p_kind text, p_cell text, p_number integer, p_fence bigint, p_why text, p_failed boolean
) RETURNS void LANGUAGE sql AS $$
    UPDATE starts SET state = CASE WHEN p_kind = 'anchor' THEN 'failed' ELSE 'queued' END,
        failures = failures + p_failed::integer, why = left(p_why, 1000)
    WHERE kind = p_kind AND cell = p_cell AND number = p_number AND fence = p_fence
        AND state = 'measuring';
$$;
