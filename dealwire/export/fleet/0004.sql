-- The pots that players bet into, one against the other: one row for each pot of each settlement.

CREATE VIEW dealwire.pot AS
SELECT line.site, line.table_name, line.journal, line.sequence, line.at,
    (line.content ->> 'round')::bigint AS round,
    line.content -> 'game' ->> 'id' AS game,
    item.number,
    item.pot ->> 'name' AS pot,
    (item.pot ->> 'cents')::bigint AS pot_cents,
    coalesce((item.pot ->> 'rake')::bigint, 0) AS rake_cents,
    coalesce((item.pot ->> 'jackpot_rake')::bigint, 0) AS jackpot_rake_cents,
    item.pot ->> 'held' AS held
FROM dealwire.line, jsonb_array_elements(line.content -> 'pots') WITH ORDINALITY AS item (pot, number)
WHERE line.type = 'settlement';
