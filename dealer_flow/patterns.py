"""The patterns of texts in a file, in words: nobody who edits a file reads regular expressions."""

from typing import Final

IN_WORDS: Final = {
    r"^[A-Za-z0-9]+([._-][A-Za-z0-9]+)*$": "a name of letters and digits, with single dots, dashes or underscores "
    "between them",
    r"^[a-z0-9]+([.-][a-z0-9]+)*$": "a name of small letters and digits, with single dots or dashes between them",
    r"^[a-z][a-z-]*$": "a name of small letters and dashes",
    r"^[a-z_]+$": "a name of small letters and underscores",
    r"^\$[a-z_]+$": "a name of small letters and underscores after $",
    r"^[a-z0-9-]+\.[a-z0-9-]+$": "two names of small letters, digits and dashes, with a dot between them",
    r"^always\.[a-z-]+$": "always. and a name of small letters and dashes",
    r"^[A-Za-z0-9._-]{1,100}$": "a file name of at most 100 letters, digits, dots, dashes or underscores",
    r"^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$": "a key, with dots between the names of tables and its own",
    r"^[A-Za-z0-9._-]{1,64}/([A-Za-z0-9._-]{1,64}|\*)$": "a site and its table, such as casino/pit-1, or casino/*",
    r"^[^/]+/[^/]+$": "a table and its device, such as pit-1/shuffler",
    r"^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$": "a host name of letters, digits, dots and dashes, without a port",
    r"^https?://\S+$": "an address that begins with http:// or https://",
    r"^mqtts?://": "an address that begins with mqtt:// or mqtts://",
    r"^[ -~]{1,255}$": "1 to 255 letters, digits, signs and spaces of ASCII",
    r"^[!-~]{1,255}$": "1 to 255 letters, digits and signs of ASCII, without a space",
    r"^[0-9a-f]{64}$": "64 hexadecimal digits, in small letters",
    r"^[^+\s]+\+[0-9a-f]{8}\+[A-Za-z0-9+/=]+$": "the line of a public key, such as NAME+1a2b3c4d+KEY",
    r"^[A-Za-z0-9_-]{1,1366}:[A-Za-z0-9_-]{40,1400}$": "a passkey's id and its public key, with a colon between them",
    r"^([ ]*[0-9A-Fa-f]{2})*[ ]*$": "bytes as pairs of hexadecimal digits",
    r"^\d{4}-\d{2}-\d{2}$": "a day such as 2027-01-31",
    r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$": "a time in UTC such as 2027-01-31T18:00:00Z",
    r"^([01]\d|2[0-3]):[0-5]\d$": "a time of day from 00:00 to 23:59",
    r"^\d{1,3}(\.\d{1,4})?$": "a percentage such as 2 or 2.5, with at most 4 decimals, in quotes",
    r"^\d+(\.\d+)?$": "a number such as 2 or 2.5, in quotes",
    r"^-?\d+(\.\d+)?$": "a number such as 2, 2.5 or -2.5, in quotes",
    r"^[1-9][0-9]{0,2}(/[1-9][0-9]{0,2})?$": "a whole number or a fraction, such as 2 or 1/2",
    r"^[1-9]/[1-9]$": "a fraction such as 1/2",
    r"^hand [1-8]$": "hand 1 to hand 8",
    r"^1\.[0-9]$": "a version of the protocol, 1.0 to 1.9",
    r"^[A-Z]{2}[0-9]{2}$": "two capital letters and two digits",
    **dict.fromkeys((r"^[23456789TJQKA]$", r"^[A23456789TJQK]$", r"^[A2-9TJQK]$"), "a rank: 2 to 9, T, J, Q, K or A"),
    **dict.fromkeys((r"^[23456789TJQKA]?$", r"^[A23456789TJQK]?$"), "empty or a rank: 2 to 9, T, J, Q, K or A"),
    r"^[23456789TJQKA]*$": "ranks: 2 to 9, T, J, Q, K and A, without spaces between them",
}
"""By pattern: the texts that fit, to be read after *must be*."""
