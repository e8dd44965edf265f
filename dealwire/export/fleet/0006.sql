-- A hash that several lines of one number carry names none of them: whoever forges one may copy it from the true one.

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
            SELECT site, table_name, journal, sequence, previous, at_ns, type, schema, line, epoch, hash
            FROM dealwire.line
            UNION ALL
            SELECT site, table_name, journal, sequence, previous, at_ns, type, schema, line, epoch, hash
            FROM dealwire.contradiction) AS known
        WHERE (site, table_name, journal, sequence) = (of_site, of_table, of_journal, of_sequence)
            AND true_hash IN (hash, encode(sha256(convert_to(line, 'UTF8')), 'hex'));
    EXCEPTION
        WHEN no_data_found THEN
            RAISE EXCEPTION 'no line of this number has the hash %, nor is it the SHA-256 of one', true_hash;
        WHEN too_many_rows THEN
            RAISE EXCEPTION 'several lines of this number have the hash %: name one by the SHA-256 of its text', true_hash;
    END;
    UPDATE dealwire.line SET (previous, at_ns, type, schema, line, epoch, hash)
        = (kept.previous, kept.at_ns, kept.type, kept.schema, kept.line, kept.epoch, kept.hash)
        WHERE (site, table_name, journal, sequence) = (of_site, of_table, of_journal, of_sequence);
    DELETE FROM dealwire.contradiction
        WHERE (site, table_name, journal, sequence) = (of_site, of_table, of_journal, of_sequence);
END $$;
COMMENT ON FUNCTION dealwire.keep IS
    'The line of this hash, or of this SHA-256 of its text, is the one that the journal has; the others stay in
    dealwire.refused alone.';
