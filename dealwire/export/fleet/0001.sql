-- Lines of every table, each once, as they were made known; money as whole cents.

CREATE TABLE dealwire.line (
    site text NOT NULL,
    table_name text NOT NULL,
    journal text NOT NULL,
    sequence bigint NOT NULL,
    previous bigint NOT NULL,
    at_ns bigint NOT NULL,
    at timestamp NOT NULL GENERATED ALWAYS AS (timestamp 'epoch' + (at_ns / 1000) * interval '1 microsecond') STORED,
    type text NOT NULL,
    schema text NOT NULL,
    line text NOT NULL,
    content jsonb NOT NULL GENERATED ALWAYS AS (line::jsonb) STORED,
    PRIMARY KEY (site, table_name, journal, sequence)
);
COMMENT ON TABLE dealwire.line IS
    'One line of a table. journal and sequence name it for ever; previous is the table''s line before it, 0 for the first.';
COMMENT ON COLUMN dealwire.line.at IS 'When it was journalled, UTC; at_ns has it in full.';
COMMENT ON COLUMN dealwire.line.line IS 'The line byte for byte; content is the same, to be asked.';
CREATE INDEX line_by_type ON dealwire.line (type, at);

CREATE TABLE dealwire.gap (
    site text NOT NULL,
    table_name text NOT NULL,
    journal text NOT NULL,
    sequence bigint NOT NULL,
    found_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (site, table_name, journal, sequence)
);
COMMENT ON TABLE dealwire.gap IS
    'Lines that must exist and have not come: the table is asked for them again. Empty when nothing is missing.';

CREATE TABLE dealwire.refused (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    received_at timestamptz NOT NULL DEFAULT now(),
    topic text NOT NULL,
    payload bytea NOT NULL,
    why text NOT NULL
);
COMMENT ON TABLE dealwire.refused IS 'Messages on the topics of lines that are no line, or contradict one.';

CREATE VIEW dealwire.round AS
SELECT site, table_name, journal, sequence, at,
    (content ->> 'round')::bigint AS round,
    content -> 'procedure' ->> 'id' AS procedure,
    content ->> 'outcome' AS outcome,
    jsonb_array_length(content -> 'incidents') AS incidents
FROM dealwire.line WHERE type = 'round';

CREATE VIEW dealwire.incident AS
SELECT site, table_name, journal, sequence, at,
    content ->> 'code' AS code,
    content ->> 'place' AS place,
    (content ->> 'fault')::integer AS fault,
    content ->> 'clause' AS clause,
    content ->> 'text' AS text
FROM dealwire.line WHERE type = 'incident';

CREATE VIEW dealwire.settlement AS
SELECT site, table_name, journal, sequence, at,
    (content ->> 'round')::bigint AS round,
    content -> 'game' ->> 'id' AS game,
    content ->> 'status' AS status,
    (content -> 'totals' ->> 'players')::bigint AS players_cents,
    (content -> 'totals' ->> 'house')::bigint AS house_cents,
    (content -> 'totals' ->> 'meters')::bigint AS meters_cents
FROM dealwire.line WHERE type = 'settlement';

CREATE VIEW dealwire.bet AS
SELECT line.site, line.table_name, line.journal, line.sequence, line.at,
    (line.content ->> 'round')::bigint AS round,
    line.content -> 'game' ->> 'id' AS game,
    item.number,
    (item.bet ->> 'seat')::integer AS seat,
    item.bet ->> 'bet' AS bet,
    item.bet ->> 'result' AS result,
    (item.bet ->> 'stake')::bigint AS stake_cents,
    (item.bet ->> 'pay')::bigint AS pay_cents,
    (item.bet ->> 'returned')::bigint AS returned_cents,
    (item.bet ->> 'net')::bigint AS net_cents,
    item.bet ->> 'meter' AS meter,
    item.bet ->> 'clause' AS clause
FROM dealwire.line, jsonb_array_elements(line.content -> 'lines') WITH ORDINALITY AS item (bet, number)
WHERE line.type = 'settlement';

CREATE VIEW dealwire.day AS
SELECT bet.site, bet.at::date AS day, bet.game,
    count(DISTINCT (bet.table_name, bet.journal, bet.sequence)) AS rounds,
    coalesce(sum(stake_cents) FILTER (WHERE result <> 'held'), 0)::bigint AS handle_cents,
    coalesce(sum(pay_cents) FILTER (WHERE result <> 'held'), 0)::bigint AS paid_cents,
    coalesce(sum(returned_cents) FILTER (WHERE result <> 'held'), 0)::bigint AS returned_cents,
    coalesce(-sum(net_cents) FILTER (WHERE result <> 'held'), 0)::bigint AS win_cents,
    coalesce(sum(stake_cents) FILTER (WHERE result = 'held'), 0)::bigint AS unsettled_cents,
    round(-sum(net_cents) FILTER (WHERE result <> 'held')
        / nullif(sum(stake_cents) FILTER (WHERE result <> 'held'), 0), 4) AS win_per_handle
FROM dealwire.bet GROUP BY bet.site, bet.at::date, bet.game;
COMMENT ON VIEW dealwire.day IS
    'A day (UTC) of a game at a site. handle: stakes that were settled; win: what the players lost, to house and meters. '
    'Drop, what went into the box, no device reports; divide win by the counted drop for the hold.';
