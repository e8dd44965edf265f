"""Text of a frame in Wireshark: a sentence for each message, and labels where a field's name is too short."""

from typing import Final

SAYS: Final = {
    "Hello": "Hello from {host}, which speaks versions {lowest_major}.{lowest_minor} to "
    "{highest_major}.{highest_minor}",
    "HelloReply": "Hello reply from a {device_class}: {maker} {model}, serial number {serial}, firmware {firmware}, "
    "session {session}",
    "Heartbeat": "Heartbeat, the host is there",
    "ReadMeters": "Read meters, from number {first} on",
    "Meters": "Meters, of {total} those from number {first} on",
    "Verify": "Verify: measure {region} with nonce {nonce}",
    "Measured": "Measured {region} by {algorithm}: {digest}",
    "Gap": "Gap, events from {first_missing} to before {first_kept} are gone; the newest is {last}",
    "Ack": "Acknowledged, events up to {up_to} have arrived",
    "ShufflerStatus": "Status of the shuffler: {state}, cards loaded {loaded}, packets dealt {packets}, "
    "cards in them {dispensed}"
    "[, lamps {lamps}][, active faults {faults}]",
    "ShoeStatus": "Status of the shoe: {state}, {drawn} of {loaded} cards drawn[, active faults {faults}]",
    "ControllerStatus": "Status of the table controller: {state}, round {round}[, active faults {faults}]",
    "Reply": "{status}[, {reason}], state {state}",
    "Progress": "{percent} percent, state {state}",
    "Nak": "{reason}",
    "OpenSession": "Open session {session} with version {major}.{minor}, role {role}",
    "ReadEvents": "Send the events of session {session} from {first} on",
    "ReportStatus": "Report the status",
    "SelfTest": "Run the self-test",
    "SelectGame": "Select game {game}, packets of {packet_size}, {cards} cards",
    "Dispense": "Bring the next packet",
    "Dump": "Bring the remainder",
    "RaiseLamp": "Light the red lamp, {fault}",
    "ClearMisdeal": "Clear the misdeal, {resolution}, badge {badge}",
    "SetLock": "Make the device {locked}",
    "LockShoe": "Make the shoe {locked}",
    "ClearShoeError": "Clear {fault}, badge {badge}",
    "EndRound": "The round is over",
    "SetSensorLight": "Light of seat {seat} {lit}",
    "ShowMeter": "Show {cents} cents on meter {meter}",
    "ShowText": 'Show "{text}" to the dealer',
    "Booted": "Started by {cause}, start number {boot_count}[, in the middle of a round: {mid_round}]",
    "FaultRaised": "Fault begins, {fault}[, at {place}]",
    "FaultCleared": "Fault is over, {fault}",
    "DoorMoved": "Door {open}",
    "StateChanged": "State {previous} becomes {state}",
    "GreenButton": "Green button pressed",
    "GameSelected": "Game {game} selected, packets of {packet_size}, {cards} cards",
    "DeckLoaded": "Deck {deck} put in",
    "ShuffleStarted": "Deck {deck} is being shuffled",
    "DeckVerified": "Deck {deck} counted, {counted} of {expected} cards",
    "PacketDispensed": "Packet {ordinal} in the tray, {counted} of {expected} cards[, {cards}]",
    "PacketLifted": "Packet {ordinal} lifted",
    "RemainderDumped": "Remainder in the tray, {counted} of {expected} cards",
    "RemainderLifted": "Remainder of deck {deck} lifted",
    "CardRejected": "Card {card} rejected, {fault}",
    "RedLamp": "Red lamp {lit}, {fault}",
    "Misdeal": "Misdeal, {fault}, {loaded} cards loaded, remainder {remainder}, rejected {rejected}, packets {packets}",
    "MisdealCleared": "Misdeal cleared, {fault}, {resolution}, badge {badge}",
    "DeckRemoved": "Deck {deck} taken out",
    "ShoeLoaded": "Shoe {shoe} filled, {cards} cards of {decks} decks",
    "BurnStarted": "The next {count} cards are burned",
    "CardDrawn": "Card {ordinal} drawn, {card}[, for {place}]",
    "CardUnreadable": "Card {ordinal} drawn and not read[, for {place}]",
    "CutCardSeen": "Cut card after {drawn} cards",
    "Overdraw": "Card {ordinal} drawn that the game does not take",
    "PushedBack": "Card {ordinal} pushed back",
    "PulledBack": "The card after {ordinal} pulled back",
    "CardDrawnOutside": "Card {ordinal} drawn outside a game, {card}, {mode}",
    "ShoeError": "Trouble begins, {fault}",
    "ShoeErrorCleared": "Trouble is over, {fault}, badge {badge}",
    "ShoeLockMoved": "Shoe {locked}",
    "ShoeEnded": "Shoe {shoe} is over after {drawn} cards",
    "CardReportedAgain": "Card {ordinal} said again, {card}",
    "GameStarted": "Game {round} started, bets are closed",
    "GameEnded": "Game {round} ended",
    "SensorChanged": "Bet sensor of seat {seat} {on}",
    "HandButton": "Hand button {hand} {on}",
    "SpotSelected": "Seat {seat} selected",
    "BadgeSwiped": "Badge {badge} swiped, {level}",
    "Confirmed": "Confirm pressed",
    "WagerPlaced": "Seat {seat} has {cents} cents on spot {bet}",
    "DecisionMade": "Seat {seat} chose {decision}",
    "BurnConfirmed": "Cards burned from the packet of {place}, positions {positions}, counted {spread}",
    "HandRevealed": "Hand of {place}, {cards}, by {source}",
    "CardsCounted": "{counted} cards counted at {place}",
    "MisdealCalled": "Misdeal called with badge {badge}, {fault}",
    "CardMishandled": "Card {card} at {place}: {how}",
    "HandSet": "Hand of {place} set by {by}, {cards}, the first {low} low",
    "CardsDiscarded": "Cards laid away from {place}[, {cards}]",
    "NumberDrawn": "Number {drawn} drawn",
    "WagerOn": "Seat {seat} has {cents} cents on {on}, spot {bet}, proposition {proposition}",
    "HandCorrected": "Hand of {place} corrected to {cards}, badge {badge}",
    "StakeShown": "Seat {seat} has a stake of {cents} cents",
    "PlayerActed": "Seat {seat}: {action}, {cents} cents lie before it[, {manner}]",
    "PotTaken": "Seat {seat} takes {cents} cents of pot {pot}",
}
"""Sentences by message. `{name}` is a field's value; text in brackets is left out if its value is empty. A message
without a sentence is shown with all its fields."""

LABELS: Final = {
    "device_ms": "Device clock",
    "uptime_ms": "Time since start",
    "number": "Event number",
    "up_to": "Up to event",
    "last_event": "Newest event",
    "link_sequence": "Link sequence",
    "message": "Message",
    "packet_size": "Cards of a packet",
    "low": "Cards of the low or first hand",
    "bet": "Betting spot",
    "cents": "Amount",
    "previous": "Previous state",
    "back": "Kind of back",
    "mid_round": "In the middle of a round",
    "max_frame": "Longest frame",
    "event_depth": "Events it keeps",
    "dispensed": "In the packets",
    "in_tray": "In the tray",
    "in_round": "In this round",
    "device_class": "Class of device",
    "first_kept": "First event kept",
    "first_missing": "First event missing",
    "sensors": "Seats with a bet on the sensor",
    "on": "On",
    "by": "By",
    "how": "How",
    "digest": "Firmware digest (SHA-256)",
}
UNITS: Final = {
    **dict.fromkeys(("device_ms", "uptime_ms"), "ms"),
    **dict.fromkeys(("percent", "confidence"), "%"),
    **dict.fromkeys(
        ("loaded", "dispensed", "in_tray", "in_round", "remainder", "rejected", "expected", "counted"), "cards"
    ),
    "cents": "cents",
    "max_frame": "bytes",
    "event_depth": "events",
}
BITS_FROM_ONE: Final = frozenset({"positions", "sensors"})
"""Bit fields that count from 1: bit 0 is the first position, or seat 1."""
CARD_CODES: Final = frozenset({("WagerOn", "on")})
"""Fields, by message and name, that hold a card's code or a part of one but are declared as numbers."""
NUMBERS_WITH_NAMES: Final = {"remainder": {0xFFFF: "NOT_KNOWN"}}
"""Special values of numeric fields, by field."""
IN_HEX: Final = frozenset({"session", "previous_session", "flags", "message", "positions", "sensors"})
TWO_WAYS: Final = {
    "open": ("closed", "opened"),
    "door_open": ("closed", "open"),
    "locked": ("unlocked", "locked"),
    "halted": ("no", "in error mode"),
    "lit": ("out", "lit"),
    "on": ("off", "on"),
    "mid_round": ("no", "yes"),
    "foul": ("no", "set against the rules"),
    "cut_card_seen": ("no", "yes"),
}
"""Meanings of 0 and 1, by field."""

EVENTS_OF_FAULTS: Final = {
    "FaultRaised": "fault",
    "ShoeError": "fault",
    "Misdeal": "misdeal",
    "MisdealCalled": "misdeal",
    "Overdraw": "fault",
    "PushedBack": "fault",
    "PulledBack": "fault",
    "CardRejected": "fault",
}
"""Severity of the messages that appear in Wireshark's expert information."""
