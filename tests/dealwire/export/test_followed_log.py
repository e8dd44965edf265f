"""Topics at which a witness asks a log for a proof, when anyone may send its checkpoint again at every table."""

from dealwire.export.followed import PLACES_MOST, FollowedLog
from dealwire.export.topics import Address
from dealwire.journal.signing import TreeHead

LARGER = TreeHead("dealwire.org/journal/1", 9, bytes(32))
MINUTES = [minute * 60.0 for minute in range(1, 30)]


def doubted(*places: Address) -> FollowedLog:
    """Return a log that has something to prove, met at these topics."""
    log = FollowedLog()
    for at in places:
        log.met(at)
    log.wants(LARGER, "", None, 0.0)
    return log


def test_the_topic_that_came_first_is_asked_however_long_it_is_off() -> None:
    """A table that is off answers nothing, and signs nothing until it has something to sign."""
    true = Address("site", "t1")
    log = doubted(true)
    for now_s in MINUTES:
        for number in range(100):
            log.met(Address("x", f"y{now_s:.0f}-{number}"))
        asked = log.asks(now_s)
        assert true in asked
        assert len(asked) <= PLACES_MOST


def test_a_topic_that_came_after_a_flood_gets_a_place_from_one_that_never_answers() -> None:
    log = doubted(*(Address("x", f"y{number}") for number in range(100)))
    true = Address("site", "t1")
    for now_s in MINUTES:
        log.asks(now_s)
    log.met(true)
    assert true in log.asks(MINUTES[-1] + 60.0)


def test_the_topic_of_a_proof_is_asked_after_every_flood() -> None:
    true = Address("site", "t1")
    log = doubted(*(Address("x", f"y{number}") for number in range(100)))
    log.settle(LARGER, true)
    log.wants(LARGER._replace(size=10), "", LARGER, 0.0)
    for now_s in MINUTES:
        for number in range(100):
            log.met(Address("x", f"z{now_s:.0f}-{number}"))
        assert true in log.asks(now_s)
