-- The keys that sign lines: certificates of the openings, and by which of them a line was signed.

CREATE TABLE dealwire.opening_key (
    site text NOT NULL,
    table_name text NOT NULL,
    journal text NOT NULL,
    epoch text NOT NULL,
    id text NOT NULL,
    public bytea NOT NULL,
    note text NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (site, table_name, id)
);
COMMENT ON TABLE dealwire.opening_key IS
    'Certificates of keys that sign lines, as they came. A consumer checks the note again before it believes it.';

ALTER TABLE dealwire.line ADD COLUMN signed text NOT NULL DEFAULT '';
ALTER TABLE dealwire.contradiction ADD COLUMN signed text NOT NULL DEFAULT '';
COMMENT ON COLUMN dealwire.line.signed IS
    'Label of the key whose signature the consumer checked; empty if it has no keys.';

CREATE OR REPLACE FUNCTION dealwire.keep(
    of_site text, of_table text, of_journal text, of_sequence bigint, true_hash text)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    kept record;
BEGIN
    PERFORM FROM dealwire.line
        WHERE (site, table_name, journal, sequence) = (of_site, of_table, of_journal, of_sequence) FOR UPDATE;
    BEGIN
        SELECT * INTO STRICT kept FROM (
            SELECT site, table_name, journal, sequence, previous, at_ns, type, schema, line, epoch, hash, signed
            FROM dealwire.line
            UNION ALL
            SELECT site, table_name, journal, sequence, previous, at_ns, type, schema, line, epoch, hash, signed
            FROM dealwire.contradiction) AS known
        WHERE (site, table_name, journal, sequence) = (of_site, of_table, of_journal, of_sequence)
            AND true_hash IN (hash, encode(sha256(convert_to(line, 'UTF8')), 'hex'));
    EXCEPTION
        WHEN no_data_found THEN
            RAISE EXCEPTION 'no line of this number has the hash %, nor is it the SHA-256 of one', true_hash;
        WHEN too_many_rows THEN
            RAISE EXCEPTION 'several lines of this number have the hash %: name one by the SHA-256 of its text', true_hash;
    END;
    UPDATE dealwire.line SET (previous, at_ns, type, schema, line, epoch, hash, signed)
        = (kept.previous, kept.at_ns, kept.type, kept.schema, kept.line, kept.epoch, kept.hash, kept.signed)
        WHERE (site, table_name, journal, sequence) = (of_site, of_table, of_journal, of_sequence);
    DELETE FROM dealwire.contradiction
        WHERE (site, table_name, journal, sequence) = (of_site, of_table, of_journal, of_sequence);
END $$;
