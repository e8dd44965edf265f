-- Several lines under one number: none of them is believed more than another, and none counts in money until a person
-- has said which one the journal has. Marks of tables that never were are no gaps.

CREATE TABLE dealwire.contradiction (
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
    epoch text NOT NULL,
    hash text NOT NULL,
    digest text NOT NULL GENERATED ALWAYS AS (md5(line || ' ' || hash)) STORED,
    received_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (site, table_name, journal, sequence, digest)
);
COMMENT ON TABLE dealwire.contradiction IS
    'Lines under a number that dealwire.line has another line of: which of them is true nobody has said yet.';

CREATE VIEW dealwire.contradicted AS
SELECT site, table_name, journal, sequence, at, type, hash, line, content
FROM dealwire.line WHERE EXISTS (
    SELECT FROM dealwire.contradiction AS other WHERE (other.site, other.table_name, other.journal, other.sequence)
        = (line.site, line.table_name, line.journal, line.sequence))
UNION ALL
SELECT site, table_name, journal, sequence, at, type, hash, line, content FROM dealwire.contradiction;
COMMENT ON VIEW dealwire.contradicted IS
    'Every line of a number that several lines have. dealwire.keep says which one the journal has.';

CREATE VIEW dealwire.undisputed AS
SELECT * FROM dealwire.line WHERE NOT EXISTS (
    SELECT FROM dealwire.contradiction AS other WHERE (other.site, other.table_name, other.journal, other.sequence)
        = (line.site, line.table_name, line.journal, line.sequence));
COMMENT ON VIEW dealwire.undisputed IS 'Lines whose number no other line has: what counts in money.';

CREATE VIEW dealwire.reported AS
SELECT site, table_name, journal, sequence, at, type, content, EXISTS (
    SELECT FROM dealwire.contradiction AS other WHERE (other.site, other.table_name, other.journal, other.sequence)
        = (line.site, line.table_name, line.journal, line.sequence)) AS disputed
FROM dealwire.line
UNION ALL
SELECT site, table_name, journal, sequence, at, type, content, true FROM dealwire.contradiction;
COMMENT ON VIEW dealwire.reported IS 'All lines that came, also those that contradict each other.';

CREATE FUNCTION dealwire.keep(of_site text, of_table text, of_journal text, of_sequence bigint, true_hash text)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    first dealwire.line;
    kept dealwire.contradiction;
BEGIN
    SELECT * INTO STRICT first FROM dealwire.line
        WHERE (site, table_name, journal, sequence) = (of_site, of_table, of_journal, of_sequence) FOR UPDATE;
    IF first.hash <> true_hash THEN
        SELECT * INTO STRICT kept FROM dealwire.contradiction
            WHERE (site, table_name, journal, sequence, hash) = (of_site, of_table, of_journal, of_sequence, true_hash);
        UPDATE dealwire.line SET (previous, at_ns, type, schema, line, epoch, hash)
            = (kept.previous, kept.at_ns, kept.type, kept.schema, kept.line, kept.epoch, kept.hash)
            WHERE (site, table_name, journal, sequence) = (of_site, of_table, of_journal, of_sequence);
    END IF;
    DELETE FROM dealwire.contradiction
        WHERE (site, table_name, journal, sequence) = (of_site, of_table, of_journal, of_sequence);
END $$;
COMMENT ON FUNCTION dealwire.keep IS
    'The line of this hash is the one that the journal has; the others stay in dealwire.refused alone.';

ALTER TABLE dealwire.gap ADD COLUMN announced boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN dealwire.gap.announced IS 'A mark alone says that the line must be there, and no line that follows it.';

CREATE OR REPLACE VIEW dealwire.round AS
SELECT site, table_name, journal, sequence, at,
    (content ->> 'round')::bigint AS round,
    content -> 'procedure' ->> 'id' AS procedure,
    content ->> 'outcome' AS outcome,
    jsonb_array_length(content -> 'incidents') AS incidents,
    disputed
FROM dealwire.reported WHERE type = 'round';

CREATE OR REPLACE VIEW dealwire.incident AS
SELECT site, table_name, journal, sequence, at,
    content ->> 'code' AS code,
    content ->> 'place' AS place,
    (content ->> 'fault')::integer AS fault,
    content ->> 'clause' AS clause,
    content ->> 'text' AS text,
    content ->> 'reason' AS reason,
    coalesce((content ->> 'unreliable')::boolean, false) AS unreliable,
    (content ->> 'counted')::bigint AS counted,
    (content ->> 'expected')::bigint AS expected,
    content -> 'cards' AS cards,
    content AS facts,
    disputed
FROM dealwire.reported WHERE type = 'incident';

CREATE OR REPLACE VIEW dealwire.settlement AS
SELECT site, table_name, journal, sequence, at,
    (content ->> 'round')::bigint AS round,
    content -> 'game' ->> 'id' AS game,
    content ->> 'status' AS status,
    (content -> 'totals' ->> 'players')::bigint AS players_cents,
    (content -> 'totals' ->> 'house')::bigint AS house_cents,
    (content -> 'totals' ->> 'meters')::bigint AS meters_cents
FROM dealwire.undisputed WHERE type = 'settlement';

CREATE OR REPLACE VIEW dealwire.bet AS
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
FROM dealwire.undisputed AS line, jsonb_array_elements(line.content -> 'lines') WITH ORDINALITY AS item (bet, number)
WHERE line.type = 'settlement';

CREATE OR REPLACE VIEW dealwire.pot AS
SELECT line.site, line.table_name, line.journal, line.sequence, line.at,
    (line.content ->> 'round')::bigint AS round,
    line.content -> 'game' ->> 'id' AS game,
    item.number,
    item.pot ->> 'name' AS pot,
    (item.pot ->> 'cents')::bigint AS pot_cents,
    coalesce((item.pot ->> 'rake')::bigint, 0) AS rake_cents,
    coalesce((item.pot ->> 'jackpot_rake')::bigint, 0) AS jackpot_rake_cents,
    item.pot ->> 'held' AS held
FROM dealwire.undisputed AS line, jsonb_array_elements(line.content -> 'pots') WITH ORDINALITY AS item (pot, number)
WHERE line.type = 'settlement';
