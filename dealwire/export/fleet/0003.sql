-- Each line's place in its journal's history; messages that contradict one are told from those that cannot be read.

ALTER TABLE dealwire.line
    ADD COLUMN epoch text NOT NULL DEFAULT '',
    ADD COLUMN hash text NOT NULL DEFAULT '';
COMMENT ON COLUMN dealwire.line.epoch IS 'The opening of the journal that wrote the line; empty when it did not say.';
COMMENT ON COLUMN dealwire.line.hash IS 'The place of its record in the journal''s chain, hex; empty when it did not say.';

ALTER TABLE dealwire.refused ADD COLUMN kind text NOT NULL DEFAULT 'unreadable';
COMMENT ON COLUMN dealwire.refused.kind IS
    'unreadable: no line, or none that this database can hold; contradicting: another line has its journal and sequence.';
