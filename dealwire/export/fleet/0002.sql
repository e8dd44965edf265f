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
    content AS facts
FROM dealwire.line WHERE type = 'incident';
COMMENT ON VIEW dealwire.incident IS
    'Incidents with the facts most are asked for; facts has all of them. text is for people and may change.';
