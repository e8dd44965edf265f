# Printed by make docs from the declarations that the program runs on.
meta:
  id: tdp
  title: "Table Device Protocol, version 1.4"
  license: "Apache-2.0"
  ks-version: "0.11"
  endian: le
  encoding: "ASCII"
doc: |
  One frame of the Table Device Protocol as it is behind COBS: header, payload, check. Outside of this description
  are how a stream is cut into frames (COBS bytes up to a zero byte), the COBS decoding, and the check: `check` is
  read, and whoever reads has to hold it against the CRC-32 of all the bytes before it.
  A frame of another version, with one of the flags that a receiver must understand, or of a kind and message that
  are not known has its payload as bytes. protocol-reference.md and protocol.json explain the values.
doc-ref: "protocol.md"
seq:
  - id: version
    type: u1
    doc: "protocol major number"
  - id: flags
    type: u1
    doc: "bits 7-4: the receiver must understand them; bits 3-0: it may ignore them; a sum of frame_flag"
  - id: kind
    type: u1
    enum: kind
    doc: "kind of the frame"
  - id: link_sequence
    type: u1
    doc: "counter of the frames sent in this direction, modulo 256"
  - id: request
    type: u2
    doc: "id of the command that this belongs to, 0 for none"
  - id: message
    type: u2
    doc: "id of the message, which determines the payload's layout"
    enum: message
  - id: payload
    size: "_io.size - 12"
    type:
      switch-on: layout
      cases:
        0x70001: hello
        0x70002: hello_reply
        0x70003: heartbeat
        0x70004: gap
        0x50005: ack
        0x70006: meters
        0x70007: measured
        0x70008: pair_call
        0x70009: pair_answer
        0x7000a: pair_proof
        0x7000b: seal_call
        0x7000c: seal_answer
        0x10020: open_session
        0x10021: read_events
        0x10022: report_status
        0x10023: self_test
        0x10024: read_meters
        0x10025: verify
        0x40030: booted
        0x40031: fault_raised
        0x40032: fault_cleared
        0x40033: door_moved
        0x40034: state_changed
        0x70110: shuffler_status
        0x10120: select_game
        0x10121: dispense
        0x10122: dump
        0x10123: raise_lamp
        0x10124: clear_misdeal
        0x10125: set_lock
        0x40140: green_button
        0x40141: game_selected
        0x40142: deck_loaded
        0x40143: shuffle_started
        0x40144: deck_verified
        0x40145: packet_dispensed
        0x40146: packet_lifted
        0x40147: remainder_dumped
        0x40148: remainder_lifted
        0x40149: card_rejected
        0x4014a: red_lamp
        0x4014b: misdeal
        0x4014c: misdeal_cleared
        0x4014d: deck_removed
        0x70210: shoe_status
        0x10220: lock_shoe
        0x10221: clear_shoe_error
        0x10222: end_round
        0x40240: shoe_loaded
        0x40241: burn_started
        0x40242: card_drawn
        0x40243: card_unreadable
        0x40244: cut_card_seen
        0x40245: overdraw
        0x40246: pushed_back
        0x40247: pulled_back
        0x40248: card_drawn_outside
        0x40249: shoe_error
        0x4024a: shoe_error_cleared
        0x4024b: shoe_lock_moved
        0x4024c: shoe_ended
        0x4024d: card_reported_again
        0x70310: controller_status
        0x10320: set_sensor_light
        0x10321: show_meter
        0x10322: show_text
        0x40340: game_started
        0x40341: game_ended
        0x40342: sensor_changed
        0x40343: hand_button
        0x40344: spot_selected
        0x40345: badge_swiped
        0x40346: confirmed
        0x40347: wager_placed
        0x40348: decision_made
        0x40349: burn_confirmed
        0x4034a: hand_revealed
        0x4034b: cards_counted
        0x4034c: misdeal_called
        0x4034d: card_mishandled
        0x4034e: hand_set
        0x4034f: cards_discarded
        0x40350: number_drawn
        0x40351: wager_on
        0x40352: hand_corrected
        0x40353: stake_shown
        0x40354: player_acted
        0x40355: pot_taken
        0x20000: reply
        0x30000: progress
        0x60000: nak
  - id: check
    type: u4
    doc: "not verified here"
instances:
  layout:
    value: "(version == 1 and (flags & 0xf0) == 0) ? kind.to_i * 0x10000 + ((kind.to_i == 2 or kind.to_i == 3 or kind.to_i == 6) ? 0 : message.to_i) : -1"
    doc: "kind and message as one number, -1 where no layout may be assumed"
types:
  hello:
    doc: "Host: request to identify. The layout never changes, in any version."
    seq:
      - id: lowest_major
        type: u1
        doc: "oldest version that the host supports"
      - id: lowest_minor
        type: u1
      - id: highest_major
        type: u1
        doc: "newest version"
      - id: highest_minor
        type: u1
      - id: host
        type: text
        size: 16
        doc: "name of the program"
      - id: extensions
        type: extension
        repeat: eos
  hello_reply:
    doc: "Device: identification. The layout never changes, in any version."
    seq:
      - id: session
        type: u4
        doc: "random, made at power-up, never 0"
      - id: lowest_major
        type: u1
        doc: "oldest version that the device supports"
      - id: lowest_minor
        type: u1
      - id: highest_major
        type: u1
        doc: "newest version"
      - id: highest_minor
        type: u1
      - id: device_class
        type: u1
        enum: device_class
      - id: capabilities
        type: u4
        doc: "a sum of capability"
      - id: boot_count
        type: u4
        doc: "number of times this device has started"
      - id: event_depth
        type: u2
        doc: "number of unacknowledged events it stores, at least 256"
      - id: max_frame
        type: u2
        doc: "longest decoded frame it accepts"
      - id: maker
        type: text
        size: 16
        doc: "as printed on the device"
      - id: model
        type: text
        size: 16
        doc: "as printed on the device"
      - id: serial
        type: text
        size: 16
        doc: "as printed on the device"
      - id: firmware
        type: text
        size: 16
        doc: "its version"
      - id: digest
        size: 32
        doc: "SHA-256 of the firmware image; zeros: not attested"
      - id: extensions
        type: extension
        repeat: eos
  heartbeat:
    doc: "Host: sign of life, in this session."
    seq:
      - id: session
        type: u4
        doc: "session that the host is in"
      - id: extensions
        type: extension
        repeat: eos
  gap:
    doc: "Device: events from `first_missing` up to, but not including, `first_kept` are lost for good; the newest is `last`."
    seq:
      - id: session
        type: u4
        doc: "session of the events"
      - id: first_missing
        type: u4
        doc: "first event that is lost"
      - id: first_kept
        type: u4
        doc: "first event that can still be read; last + 1 when none"
      - id: last
        type: u4
        doc: "newest event"
      - id: extensions
        type: extension
        repeat: eos
  ack:
    doc: "Host: acknowledgment of every event of this session up to `up_to`."
    seq:
      - id: session
        type: u4
        doc: "session of the events"
      - id: up_to
        type: u4
        doc: "every event up to this one has arrived"
      - id: extensions
        type: extension
        repeat: eos
  meters:
    doc: "Device: readings of its meters. Follows the reply to *ReadMeters* and carries that command's request id. It holds as many meters as fit; the host requests the next ones from `first` plus their number. Since 1.2."
    seq:
      - id: session
        type: u4
        doc: "the device's"
      - id: total
        type: u2
        doc: "meters the device has"
      - id: first
        type: u2
        doc: "as in the command; none follow beyond the last"
      - id: number_of_meters
        type: u1
      - id: meters
        type: meters_record
        repeat: expr
        repeat-expr: number_of_meters
        doc: "in a fixed order; a count wraps from FFFFFFFFh to 0"
      - id: extensions
        type: extension
        repeat: eos
    types:
      meters_record:
        seq:
          - id: meter
            type: u1
            enum: device_meter
          - id: component
            type: u1
            enum: component
          - id: count
            type: u4
  measured:
    doc: "Device: digest that it measured. Follows the reply to *Verify* and carries that command's request id. Since 1.2."
    seq:
      - id: session
        type: u4
        doc: "the device's"
      - id: nonce
        size: 16
        doc: "as in the command"
      - id: region
        type: u1
        enum: region
        doc: "as in the command"
      - id: algorithm
        type: u1
        enum: algorithm
      - id: digest
        size: 32
        doc: "over the nonce, then the image"
      - id: extensions
        type: extension
        repeat: eos
  pair_call:
    doc: "Host: first message of pairing, Noise XXpsk3. Since 1.4."
    seq:
      - id: ephemeral
        size: 32
        doc: "the host's X25519 key of this handshake"
      - id: tag
        size: 16
        doc: "tag of the empty payload"
      - id: extensions
        type: extension
        repeat: eos
  pair_answer:
    doc: "Device: second message of pairing. Since 1.4."
    seq:
      - id: ephemeral
        size: 32
        doc: "the device's X25519 key of this handshake"
      - id: static
        size: 48
        doc: "the device's own X25519 key, encrypted, with its tag"
      - id: tag
        size: 16
        doc: "tag of the empty payload"
      - id: extensions
        type: extension
        repeat: eos
  pair_proof:
    doc: "Host: third message of pairing, which opens only with the code that the device shows. Since 1.4."
    seq:
      - id: static
        size: 48
        doc: "the host's own X25519 key, encrypted, with its tag"
      - id: granted
        size: 33
        doc: "role (u8) and name of the host (text 16), encrypted, with their tag"
      - id: extensions
        type: extension
        repeat: eos
  seal_call:
    doc: "Host: first message of a sealed line, Noise KK. Since 1.4."
    seq:
      - id: key_id
        size: 8
        doc: "first bytes of the SHA-256 of the host's own X25519 key"
      - id: ephemeral
        size: 32
        doc: "the host's X25519 key of this handshake"
      - id: tag
        size: 16
        doc: "tag of the empty payload"
      - id: extensions
        type: extension
        repeat: eos
  seal_answer:
    doc: "Device: second message of a sealed line. Since 1.4."
    seq:
      - id: ephemeral
        size: 32
        doc: "the device's X25519 key of this handshake"
      - id: tag
        size: 16
        doc: "tag of the empty payload"
      - id: extensions
        type: extension
        repeat: eos
  open_session:
    doc: "Open the session with the version the host picked and the role it requests. No event is sent before it."
    seq:
      - id: session
        type: u4
        doc: "as HELLO-REPLY gave it"
      - id: major
        type: u1
        doc: "version that the host picked"
      - id: minor
        type: u1
      - id: role
        type: u1
        enum: role
      - id: extensions
        type: extension
        repeat: eos
  read_events:
    doc: "Send the events again from `first` on. `session` may be the one before a power cut."
    seq:
      - id: session
        type: u4
        doc: "current session, or the previous one"
      - id: first
        type: u4
        doc: "event number to start from"
      - id: extensions
        type: extension
        repeat: eos
  report_status:
    doc: "Send a status now."
    seq:
      - id: extensions
        type: extension
        repeat: eos
  self_test:
    doc: "Run the self-test. Service role."
    seq:
      - id: extensions
        type: extension
        repeat: eos
  read_meters:
    doc: "Report the meters from index `first` on. A *Meters* follows the reply. Since 1.2."
    seq:
      - id: first
        type: u2
        doc: "index of the first meter wanted, from 0"
      - id: extensions
        type: extension
        repeat: eos
  verify:
    doc: "Measure a region now, together with a nonce that no one can predict. A *Measured* follows the reply. Since 1.2."
    seq:
      - id: nonce
        size: 16
        doc: "random, drawn for this command"
      - id: region
        type: u1
        enum: region
        doc: "region to measure; 0: the whole firmware image"
      - id: extensions
        type: extension
        repeat: eos
  booted:
    doc: "The device started. First event of a session."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: boot_count
        type: u4
        doc: "as in HELLO-REPLY"
      - id: previous_session
        type: u4
        doc: "session whose last round can still be read; 0: none"
      - id: cause
        type: u1
        enum: boot_cause
      - id: mid_round
        type: u1
        doc: "1: the power failed in the middle of a round"
      - id: extensions
        type: extension
        repeat: eos
  fault_raised:
    doc: "A fault began. `place` is where, `value` is the number that the fault counts."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: fault
        type: u2
        enum: fault
      - id: place
        type: u1
        enum: place
      - id: value
        type: u2
        doc: "number that the fault counts, else 0"
      - id: extensions
        type: extension
        repeat: eos
  fault_cleared:
    doc: "A fault ended."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: fault
        type: u2
        enum: fault
      - id: extensions
        type: extension
        repeat: eos
  door_moved:
    doc: "The door or cover was opened (1) or closed (0)."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: open
        type: u1
        doc: "1 opened, 0 closed"
      - id: extensions
        type: extension
        repeat: eos
  state_changed:
    doc: "The device changed from `previous` to `state`."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: state
        type: u1
        doc: "meaning by device class; one of shuffler_state, shoe_state, controller_state"
      - id: previous
        type: u1
        doc: "previous state; one of shuffler_state, shoe_state, controller_state"
      - id: extensions
        type: extension
        repeat: eos
  shuffler_status:
    doc: "Whole visible state of a shuffler, sent every second and on every change. It contains no card."
    seq:
      - id: session
        type: u4
        doc: "the random number made at power-up"
      - id: last_event
        type: u4
        doc: "number of the newest event"
      - id: uptime_ms
        type: u4
        doc: "milliseconds since the start"
      - id: state
        type: u1
        enum: shuffler_state
      - id: lamps
        type: u1
        doc: "a sum of lamp"
      - id: door_open
        type: u1
        doc: "1 when open"
      - id: deck
        type: u1
        doc: "deck being dealt, else the ready one counted last: 1 or 2; 0: none"
      - id: loaded
        type: u2
        doc: "cards counted in that deck"
      - id: packets
        type: u1
        doc: "packets dispensed this round; 0 once it is over"
      - id: dispensed
        type: u2
        doc: "cards in them"
      - id: in_tray
        type: u1
        doc: "cards in the tray, of a packet or of the remainder"
      - id: remainder
        type: u2
        doc: "cards counted in the dumped remainder; 0 before it and once the round is over"
      - id: rejected
        type: u1
        doc: "cards of that deck in the reject tray"
      - id: number_of_faults
        type: u1
      - id: faults
        type: u2
        enum: fault
        repeat: expr
        repeat-expr: number_of_faults
        doc: "active faults"
      - id: extensions
        type: extension
        repeat: eos
  select_game:
    doc: "Set packet size and deck composition for the game to deal."
    seq:
      - id: packet_size
        type: u1
        doc: "cards in a packet; 0: the device's own program for the game decides"
      - id: cards
        type: u2
        doc: "cards in the whole deck, jokers included"
      - id: jokers
        type: u1
        doc: "jokers among them"
      - id: game
        type: text
        size: 32
        doc: "procedure id"
      - id: extensions
        type: extension
        repeat: eos
  dispense:
    doc: "Dispense the next packet, as the green button does."
    seq:
      - id: extensions
        type: extension
        repeat: eos
  dump:
    doc: "Dispense the remainder, as the second press of the green button does."
    seq:
      - id: extensions
        type: extension
        repeat: eos
  raise_lamp:
    doc: "Light the red lamp for a misdeal that only the host can detect."
    seq:
      - id: fault
        type: u2
        enum: fault
      - id: extensions
        type: extension
        repeat: eos
  clear_misdeal:
    doc: "Clear a misdeal that the person with `badge` acknowledged and decided."
    seq:
      - id: badge
        type: u4
        doc: "person who acknowledged"
      - id: resolution
        type: u1
        enum: resolution
      - id: extensions
        type: extension
        repeat: eos
  set_lock:
    doc: "Lock or unlock the device for the table."
    seq:
      - id: locked
        type: u1
        doc: "1 to lock, 0 to unlock"
      - id: extensions
        type: extension
        repeat: eos
  green_button:
    doc: "The dealer pressed the green button."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: extensions
        type: extension
        repeat: eos
  game_selected:
    doc: "The game was chosen, at the device or by the host."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: packet_size
        type: u1
        doc: "cards in a packet; 0: the device's own program for the game decides"
      - id: cards
        type: u2
        doc: "cards in the whole deck, jokers included"
      - id: jokers
        type: u1
        doc: "jokers among them"
      - id: game
        type: text
        size: 32
        doc: "procedure id"
      - id: extensions
        type: extension
        repeat: eos
  deck_loaded:
    doc: "A deck is in the input. `back` distinguishes the two decks."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: deck
        type: u1
        doc: "1 or 2, of the two alternating decks"
      - id: back
        type: u1
        doc: "number of the back design, different for the two decks, constant for each; 0: not seen"
      - id: extensions
        type: extension
        repeat: eos
  shuffle_started:
    doc: "The deck is being shuffled."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: deck
        type: u1
        doc: "1 or 2, of the two alternating decks"
      - id: extensions
        type: extension
        repeat: eos
  deck_verified:
    doc: "The shuffled deck was counted."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: deck
        type: u1
        doc: "1 or 2, of the two alternating decks"
      - id: expected
        type: u2
        doc: "cards that the game requires"
      - id: counted
        type: u2
        doc: "cards found"
      - id: extensions
        type: extension
        repeat: eos
  packet_dispensed:
    doc: "A packet is in the tray. `cards` is empty unless the device recognizes cards."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: deck
        type: u1
        doc: "1 or 2, of the two alternating decks"
      - id: ordinal
        type: u1
        doc: "1 for the first packet of the round"
      - id: expected
        type: u1
        doc: "cards the packet should have"
      - id: counted
        type: u1
        doc: "cards the device counted"
      - id: number_of_cards
        type: u1
      - id: cards
        type: u1
        enum: card
        repeat: expr
        repeat-expr: number_of_cards
        doc: "top card first; empty without recognition"
      - id: extensions
        type: extension
        repeat: eos
  packet_lifted:
    doc: "The packet was taken out of the tray."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: ordinal
        type: u1
        doc: "which packet of the round"
      - id: extensions
        type: extension
        repeat: eos
  remainder_dumped:
    doc: "All remaining cards of the deck are in the tray."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: deck
        type: u1
        doc: "1 or 2, of the two alternating decks"
      - id: expected
        type: u2
        doc: "loaded - rejected - packets lifted, or - all packets: see Packet shuffler"
      - id: counted
        type: u2
        doc: "cards the device counted"
      - id: extensions
        type: extension
        repeat: eos
  remainder_lifted:
    doc: "The remainder was taken out."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: deck
        type: u1
        doc: "1 or 2, of the two alternating decks"
      - id: extensions
        type: extension
        repeat: eos
  card_rejected:
    doc: "A card went to the reject tray. `card` is none unless the device recognizes cards."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: deck
        type: u1
        doc: "1 or 2, of the two alternating decks"
      - id: card
        type: u1
        enum: card
        doc: "none without recognition"
      - id: fault
        type: u2
        enum: fault
      - id: extensions
        type: extension
        repeat: eos
  red_lamp:
    doc: "The red lamp was lit (1) for `fault`, or went out (0)."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: lit
        type: u1
        doc: "1 lit, 0 out"
      - id: fault
        type: u2
        enum: fault
      - id: extensions
        type: extension
        repeat: eos
  misdeal:
    doc: "Record of a misdeal: cards expected and counted in each place. `remainder` is FFFFh if unknown."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: deck
        type: u1
        doc: "as in the status; 0: no deck was counted"
      - id: fault
        type: u2
        enum: fault
      - id: loaded
        type: u2
        doc: "cards counted in the deck"
      - id: remainder
        type: u2
        doc: "FFFFh: not known"
      - id: rejected
        type: u1
        doc: "cards in the reject tray"
      - id: number_of_packets
        type: u1
      - id: packets
        type: packets_record
        repeat: expr
        repeat-expr: number_of_packets
        doc: "in the order they were dispensed"
      - id: extensions
        type: extension
        repeat: eos
    types:
      packets_record:
        seq:
          - id: expected
            type: u1
          - id: counted
            type: u1
  misdeal_cleared:
    doc: "A person acknowledged the misdeal, at the device (badge 0) or through the host."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: fault
        type: u2
        enum: fault
      - id: badge
        type: u4
        doc: "0: with the device's own key"
      - id: resolution
        type: u1
        enum: resolution
      - id: extensions
        type: extension
        repeat: eos
  deck_removed:
    doc: "The deck was taken out of the device."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: deck
        type: u1
        doc: "1 or 2, of the two alternating decks"
      - id: extensions
        type: extension
        repeat: eos
  shoe_status:
    doc: "Whole visible state of a shoe, sent every second and on every change. It contains no card."
    seq:
      - id: session
        type: u4
        doc: "the random number made at power-up"
      - id: last_event
        type: u4
        doc: "number of the newest event"
      - id: uptime_ms
        type: u4
        doc: "milliseconds since the start"
      - id: state
        type: u1
        enum: shoe_state
      - id: locked
        type: u1
        doc: "1 when locked"
      - id: halted
        type: u1
        doc: "1 in error mode"
      - id: shoe
        type: u4
        doc: "number of the shoe, counted at each filling"
      - id: decks
        type: u1
        doc: "decks it was filled with"
      - id: loaded
        type: u2
        doc: "cards it was filled with"
      - id: drawn
        type: u2
        doc: "cards that have left the shoe"
      - id: in_round
        type: u2
        doc: "cards of these in the current round"
      - id: cut_card_seen
        type: u1
        doc: "1 once the cut card came out"
      - id: number_of_faults
        type: u1
      - id: faults
        type: u2
        enum: fault
        repeat: expr
        repeat-expr: number_of_faults
        doc: "active faults"
      - id: extensions
        type: extension
        repeat: eos
  lock_shoe:
    doc: "Lock or unlock the shoe. A card drawn while it is locked belongs to no game."
    seq:
      - id: locked
        type: u1
        doc: "1 to lock, 0 to unlock"
      - id: extensions
        type: extension
        repeat: eos
  clear_shoe_error:
    doc: "Leave the error mode: the person with `badge` fixed the error."
    seq:
      - id: fault
        type: u2
        enum: fault
        doc: "the error that was fixed"
      - id: badge
        type: u4
        doc: "person who fixed it"
      - id: extensions
        type: extension
        repeat: eos
  end_round:
    doc: "End the round and stand by for the next one."
    seq:
      - id: extensions
        type: extension
        repeat: eos
  shoe_loaded:
    doc: "A shoe was filled with `cards` cards in `decks` decks, and closed. `shoe` counts the fillings; 0 means none."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: shoe
        type: u4
        doc: "number of the shoe, counted at each filling"
      - id: decks
        type: u1
        doc: "decks put in"
      - id: cards
        type: u2
        doc: "cards put in"
      - id: extensions
        type: extension
        repeat: eos
  burn_started:
    doc: "The next `count` cards are to be burned."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: count
        type: u1
        doc: "cards to burn"
      - id: extensions
        type: extension
        repeat: eos
  card_drawn:
    doc: "A card left the shoe and was read. `ordinal` counts the cards that left this shoe, read or not, from 1."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: ordinal
        type: u2
        doc: "cards that have left this shoe, including this one"
      - id: card
        type: u1
        enum: card
      - id: place
        type: u1
        enum: place
        doc: "destination as the device believes; nowhere if it does not know"
      - id: confidence
        type: u1
        doc: "confidence of the reading, 0 to 100 percent"
      - id: reader
        type: u1
        doc: "findings of the reader; a sum of reader"
      - id: extensions
        type: extension
        repeat: eos
  card_unreadable:
    doc: "A card left the shoe and its face was not read."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: ordinal
        type: u2
        doc: "cards that have left this shoe, including this one"
      - id: place
        type: u1
        enum: place
        doc: "destination as the device believes; nowhere if it does not know"
      - id: reader
        type: u1
        doc: "findings of the reader; a sum of reader"
      - id: extensions
        type: extension
        repeat: eos
  cut_card_seen:
    doc: "The cut card came out after `drawn` cards. It is not a card of the shoe and is not counted."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: drawn
        type: u2
        doc: "cards drawn before it"
      - id: extensions
        type: extension
        repeat: eos
  overdraw:
    doc: "A card was drawn that the game does not allow, or from an empty shoe. Card `ordinal` was the last before it."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: ordinal
        type: u2
        doc: "last card before it; 0: none"
      - id: halted
        type: u1
        doc: "1: the device entered its error mode"
      - id: extensions
        type: extension
        repeat: eos
  pushed_back:
    doc: "Card `ordinal` was pushed back into the exit."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: ordinal
        type: u2
        doc: "card that was pushed back"
      - id: halted
        type: u1
        doc: "1: the device entered its error mode"
      - id: extensions
        type: extension
        repeat: eos
  pulled_back:
    doc: "The card after `ordinal` turned back halfway."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: ordinal
        type: u2
        doc: "cards that have left this shoe"
      - id: halted
        type: u1
        doc: "1: the device entered its error mode"
      - id: extensions
        type: extension
        repeat: eos
  card_drawn_outside:
    doc: "A card was drawn while the shoe was locked, in error mode or in set-up. It belongs to no game."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: ordinal
        type: u2
        doc: "cards that have left this shoe, including this one"
      - id: card
        type: u1
        enum: card
        doc: "unread when it was not read"
      - id: mode
        type: u1
        enum: shoe_mode
        doc: "mode of the shoe"
      - id: extensions
        type: extension
        repeat: eos
  shoe_error:
    doc: "An error of the shoe itself began; `fault` is its number."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: fault
        type: u2
        enum: fault
      - id: halted
        type: u1
        doc: "1: the device entered its error mode"
      - id: extensions
        type: extension
        repeat: eos
  shoe_error_cleared:
    doc: "The error ended, cleared at the device (badge 0) or through the host."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: fault
        type: u2
        enum: fault
      - id: badge
        type: u4
        doc: "0: with the device's own key"
      - id: extensions
        type: extension
        repeat: eos
  shoe_lock_moved:
    doc: "The shoe was locked (1) or unlocked (0), by its key or by a command."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: locked
        type: u1
        doc: "1 locked, 0 unlocked"
      - id: extensions
        type: extension
        repeat: eos
  shoe_ended:
    doc: "The shoe ended after `drawn` of its cards had left it."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: shoe
        type: u4
        doc: "number of the shoe, counted at each filling"
      - id: drawn
        type: u2
        doc: "cards that have left the shoe"
      - id: extensions
        type: extension
        repeat: eos
  card_reported_again:
    doc: "Repeat of the reading of card `ordinal`. It is never a second card."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: ordinal
        type: u2
        doc: "cards that have left this shoe, including this one"
      - id: card
        type: u1
        enum: card
      - id: place
        type: u1
        enum: place
        doc: "destination as the device believes; nowhere if it does not know"
      - id: extensions
        type: extension
        repeat: eos
  controller_status:
    doc: "Whole visible state of a table controller. It contains no card."
    seq:
      - id: session
        type: u4
        doc: "the random number made at power-up"
      - id: last_event
        type: u4
        doc: "number of the newest event"
      - id: uptime_ms
        type: u4
        doc: "milliseconds since the start"
      - id: state
        type: u1
        enum: controller_state
      - id: round
        type: u4
        doc: "number of the round, counted by the controller"
      - id: sensors
        type: u4
        doc: "bit 0 set: seat 1 has a progressive bet on its sensor"
      - id: number_of_faults
        type: u1
      - id: faults
        type: u2
        enum: fault
        repeat: expr
        repeat-expr: number_of_faults
        doc: "active faults"
      - id: extensions
        type: extension
        repeat: eos
  set_sensor_light:
    doc: "Switch the light of one seat's bet sensor."
    seq:
      - id: seat
        type: u1
        doc: "1 at the dealer's left, then clockwise"
      - id: lit
        type: u1
        doc: "1 on, 0 off"
      - id: extensions
        type: extension
        repeat: eos
  show_meter:
    doc: "Show the amount of a progressive meter, in cents."
    seq:
      - id: meter
        type: u1
        doc: "its number in the controller's set-up"
      - id: cents
        type: u8
        doc: "amount to show"
      - id: extensions
        type: extension
        repeat: eos
  show_text:
    doc: "Show a line of text to the dealer."
    seq:
      - id: text
        type: text
        size: 40
        doc: "one line for the dealer"
      - id: extensions
        type: extension
        repeat: eos
  game_started:
    doc: "START GAME was pressed: bets are closed."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: round
        type: u4
        doc: "number of the round, counted by the controller"
      - id: extensions
        type: extension
        repeat: eos
  game_ended:
    doc: "END GAME was pressed: all action is settled."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: round
        type: u4
        doc: "number of the round, counted by the controller"
      - id: extensions
        type: extension
        repeat: eos
  sensor_changed:
    doc: "A progressive bet was placed on (1) or left (0) a seat's sensor."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: seat
        type: u1
        doc: "1 at the dealer's left, then clockwise"
      - id: "on"
        type: u1
        doc: "1: bet on the sensor, 0: off"
      - id: extensions
        type: extension
        repeat: eos
  hand_button:
    doc: "A hand button was switched on (1) or, pressed again, off (0)."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: hand
        type: u1
        doc: "the button's number"
      - id: "on"
        type: u1
        doc: "1 on, 0 off"
      - id: extensions
        type: extension
        repeat: eos
  spot_selected:
    doc: "The dealer selected a seat on the display."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: seat
        type: u1
        doc: "1 at the dealer's left, then clockwise; 0: the dealer"
      - id: extensions
        type: extension
        repeat: eos
  badge_swiped:
    doc: "A badge was swiped at the controller."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: badge
        type: u4
        doc: "badge number"
      - id: level
        type: u1
        enum: badge_level
      - id: extensions
        type: extension
        repeat: eos
  confirmed:
    doc: "CONFIRM was pressed."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: extensions
        type: extension
        repeat: eos
  wager_placed:
    doc: "Bet of a seat on one spot, in cents; 0 takes it back. `bet` is the spot's number in the game file."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: seat
        type: u1
        doc: "1 at the dealer's left, then clockwise"
      - id: bet
        type: u1
        doc: "number of the spot in the game file"
      - id: cents
        type: u4
        doc: "whole bet on that spot, 0: taken back"
      - id: extensions
        type: extension
        repeat: eos
  decision_made:
    doc: "A seat decided."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: seat
        type: u1
        doc: "1 at the dealer's left, then clockwise"
      - id: decision
        type: u1
        enum: decision
      - id: extensions
        type: extension
        repeat: eos
  burn_confirmed:
    doc: "Cards of a packet were burned. Bit 0 of `positions` is position 1, counted in direction `spread`."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: place
        type: u1
        enum: place
      - id: positions
        type: u2
        doc: "bit 0: position 1"
      - id: spread
        type: u1
        enum: spread
        doc: "direction in which positions are counted"
      - id: extensions
        type: extension
        repeat: eos
  hand_revealed:
    doc: "Faces of the cards at a place, from a reader in the layout or keyed in."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: place
        type: u1
        enum: place
      - id: source
        type: u1
        enum: reveal_source
      - id: number_of_cards
        type: u1
      - id: cards
        type: u1
        enum: card
        repeat: expr
        repeat-expr: number_of_cards
        doc: "in the order in which they are on the table"
      - id: extensions
        type: extension
        repeat: eos
  cards_counted:
    doc: "A person counted the cards at a place."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: place
        type: u1
        enum: place
      - id: counted
        type: u1
        doc: "cards that a person counted"
      - id: extensions
        type: extension
        repeat: eos
  misdeal_called:
    doc: "A person, named by `badge`, called a misdeal."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: badge
        type: u4
        doc: "person who called it"
      - id: fault
        type: u2
        enum: fault
      - id: extensions
        type: extension
        repeat: eos
  card_mishandled:
    doc: "A person reported the mishandling of a card at a place. Since 1.1."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: place
        type: u1
        enum: place
        doc: "place of the card"
      - id: how
        type: u1
        enum: mishandling
      - id: card
        type: u1
        enum: card
        doc: "its face if it was seen, else unread"
      - id: extensions
        type: extension
        repeat: eos
  hand_set:
    doc: "A hand is set in two parts: the first `low` of `cards` are its low or first hand, the others the rest. Since 1.2."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: place
        type: u1
        enum: place
        doc: "place of the hand"
      - id: by
        type: u1
        enum: set_by
        doc: "person or rule that set it"
      - id: foul
        type: u1
        doc: "1: set against the rules, 0: not"
      - id: low
        type: u1
        doc: "number of cards, from the first, in the low or first hand"
      - id: number_of_cards
        type: u1
      - id: cards
        type: u1
        enum: card
        repeat: expr
        repeat-expr: number_of_cards
        doc: "low or first hand, then the rest if known; unread where no one saw the face"
      - id: extensions
        type: extension
        repeat: eos
  cards_discarded:
    doc: "Cards were discarded from a place, in the order in which they were laid down. Since 1.2."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: place
        type: u1
        enum: place
        doc: "place of the hand"
      - id: number_of_cards
        type: u1
      - id: cards
        type: u1
        enum: card
        repeat: expr
        repeat-expr: number_of_cards
        doc: "unread where no one saw the face"
      - id: extensions
        type: extension
        repeat: eos
  number_drawn:
    doc: "The number shaken or drawn that decides who gets the first cards. Since 1.2."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: drawn
        type: u1
        doc: "total of the dice, or the number shown"
      - id: extensions
        type: extension
        repeat: eos
  wager_on:
    doc: "Wager of a seat on one of the several propositions of a spot, in cents; 0 takes it back. Since 1.2."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: seat
        type: u1
        doc: "1 at the dealer's left, then clockwise"
      - id: bet
        type: u1
        doc: "number of the spot in the game file"
      - id: proposition
        type: u1
        doc: "number of the spot's proposition in the game file"
      - id: "on"
        type: u1
        doc: "card code; suit 0: any suit, rank 0: any rank; 00h: no card"
      - id: cents
        type: u4
        doc: "whole wager on this proposition, 0: taken back"
      - id: extensions
        type: extension
        repeat: eos
  hand_corrected:
    doc: "The faces keyed for a place were corrected under `badge`; only their number, if every card is unread. Since 1.2."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: place
        type: u1
        enum: place
      - id: badge
        type: u4
        doc: "badge that was swiped"
      - id: level
        type: u1
        enum: badge_level
      - id: number_of_cards
        type: u1
      - id: cards
        type: u1
        enum: card
        repeat: expr
        repeat-expr: number_of_cards
        doc: "in the order in which they are on the table"
      - id: extensions
        type: extension
        repeat: eos
  stake_shown:
    doc: "The chips and currency in front of a seat when a hand begins; 0 if no one plays there. Since 1.3."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: seat
        type: u1
        doc: "1 at the dealer's left, then clockwise"
      - id: cents
        type: u4
        doc: "amount that the seat can bet in this hand, 0: no one plays there"
      - id: extensions
        type: extension
        repeat: eos
  player_acted:
    doc: "A player acted, in a game where players bet against each other. Since 1.3."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: seat
        type: u1
        doc: "1 at the dealer's left, then clockwise"
      - id: action
        type: u1
        enum: player_action
        doc: "action of the player"
      - id: manner
        type: u1
        enum: action_manner
        doc: "manner, if it was not made in the ordinary way"
      - id: cents
        type: u4
        doc: "total bet of the seat in this betting round after the action; unchanged if nothing was added"
      - id: extensions
        type: extension
        repeat: eos
  pot_taken:
    doc: "The dealer awarded so many cents of a pot, and the seat took them; 0: what it took is taken back. Since 1.3."
    seq:
      - id: number
        type: u4
        doc: "counts up by one within a session, from 1"
      - id: device_ms
        type: u4
        doc: "the device's own clock, milliseconds since it started"
      - id: pot
        type: u1
        doc: "1: the main pot, 2: the first side pot, and so on"
      - id: seat
        type: u1
        doc: "1 at the dealer's left, then clockwise"
      - id: cents
        type: u4
        doc: "amount that the seat took"
      - id: extensions
        type: extension
        repeat: eos
  reply:
    doc: "Device: answer to a command. The header's message id names the command."
    seq:
      - id: status
        type: u1
        enum: status
        doc: "accepted, done or refused"
      - id: reason
        type: u2
        enum: reason
        doc: "why it was refused"
      - id: state
        type: u1
        doc: "device state, by its class; one of shuffler_state, shoe_state, controller_state"
      - id: extensions
        type: extension
        repeat: eos
  progress:
    doc: "Device: progress of an accepted command."
    seq:
      - id: percent
        type: u1
        doc: "0 to 100"
      - id: state
        type: u1
        doc: "device state, by its class; one of shuffler_state, shoe_state, controller_state"
      - id: extensions
        type: extension
        repeat: eos
  nak:
    doc: "Either end: a frame arrived intact but cannot be used. The header's message id names it."
    seq:
      - id: reason
        type: u2
        enum: reason
        doc: "why the frame cannot be used"
      - id: extensions
        type: extension
        repeat: eos
  text:
    doc: "ASCII, filled up with zero bytes"
    seq:
      - id: octets
        type: u1
        repeat: eos
        valid:
          max: 0x7f
    instances:
      value:
        pos: 0
        size-eos: true
        type: str
        pad-right: 0
  extension:
    doc: "What a later version or a maker adds behind a payload; one that is not known is passed over."
    seq:
      - id: type
        type: u1
        enum: extension_type
      - id: size
        type: u1
      - id: value
        size: size
enums:
  action_manner:
    0: none
    1: string_bet
    2: time_limit
    3: corrected
  algorithm:
    1: sha256
  badge_level:
    1: dealer
    2: supervisor
    3: executive
  boot_cause:
    1: power_on
    2: watchdog
    3: commanded
  capability:
    1: card_recognition
    2: two_decks
    4: counts_packets
    8: host_lamp
    16: layout_reader
    32: bet_sensors
    64: meters
    128: verify
    256: sealing
    512: attestation
  component:
    0: device
    1: feed
    2: compartments
    3: exit
    4: tray
    5: reject_tray
    6: reader
    7: door
    8: link
  controller_state:
    0: boot
    1: bets_open
    2: game
    3: award
    4: safe
    5: setup
  decision:
    1: fold
    2: play
  device_class:
    1: shuffler
    2: shoe
    3: table_controller
    15: emulator
  device_meter:
    1: rounds
    2: packets
    3: cards
    4: shuffles_done
    5: shuffles_failed
    6: service_shuffles
    7: cards_shuffled
    8: cards_sorted
    9: decks
    10: shoes
    11: jams
    12: misdeals
    13: rejected_cards
    14: unread_cards
    15: faults
    16: hours_powered
    17: power_cycles
    18: door_openings
    19: self_tests
    20: service_visits
    21: commands_refused
  fault:
    0: none
    101: too_few_cards
    102: too_many_cards
    103: foreign_back
    104: flipped_card
    105: duplicate_card
    106: missing_card
    201: feed_jam
    202: compartment_jam
    203: exit_jam
    204: card_lost
    205: sensor_failed
    301: packet_short
    302: packet_long
    303: packet_lifted_early
    304: packet_not_lifted
    305: remainder_count_wrong
    401: card_unreadable
    402: overdraw
    403: pushed_back
    404: pulled_back
    405: draw_while_locked
    406: wrong_button
    407: card_code_wrong
    408: draw_too_slow
    501: door_opened_mid_round
    502: power_lost_mid_round
    503: configuration_changed
    504: counter_invariant_broken
    505: misdeal_called_by_host
    601: host_lost
    602: events_lost
    603: version_mismatch
  frame_flag:
    128: sealed
  kind:
    1: command
    2: reply
    3: progress
    4: event
    5: ack
    6: nak
    7: link
  lamp:
    1: red
    2: green
  mishandling:
    1: exposed
    2: off_table
    3: fouled
    4: joker
    5: boxed
    6: fouled_by_player
    7: fouled_by_others
    8: reconstructed
    9: dropped
    10: returned_to_deck
    11: early
    12: exposed_by_player
    13: not_burned
  player_action:
    1: bet
    2: raise_
    3: call
    4: fold
    5: check
    6: all_in
    7: bring_in
    8: forfeit
    9: chop
    10: withdraw
    11: sit_out
  reader:
    1: index
    2: code
    4: disagree
    8: dirty
    16: slow
  reason:
    0: none
    1: unknown_command
    2: bad_parameter
    3: wrong_state
    4: busy
    5: not_permitted
    6: not_supported
    7: request_id_reused
    8: no_session
    9: unknown_flag
    10: unknown_version
    11: bad_payload
    12: not_sealed
  region:
    0: firmware
  resolution:
    1: resume
    2: remove_deck
  reveal_source:
    1: reader
    2: keyed
  role:
    0: observe
    1: operate
    2: service
  set_by:
    1: player
    2: house_way
    3: dealer
  shoe_mode:
    1: locked
    2: error
    3: setup
  shoe_state:
    0: boot
    1: empty
    2: loaded
    3: burn
    4: standby
    5: round
    6: cut_card_seen
    7: shoe_end
    8: error
    9: locked
    10: setup
  shuffler_state:
    0: boot
    1: self_test
    2: empty
    3: loaded
    4: shuffling
    5: verifying
    6: ready
    7: dispensing
    8: packet_wait
    9: dumping
    10: remainder_wait
    11: recovering
    12: misdeal
    13: fault
    14: open
    15: locked
    16: safe
    17: setup
  spread:
    1: left_to_right
    2: right_to_left
  status:
    0: accepted
    1: done
    2: refused
  card:
    0: none
    17: ace_of_clubs
    18: two_of_clubs
    19: three_of_clubs
    20: four_of_clubs
    21: five_of_clubs
    22: six_of_clubs
    23: seven_of_clubs
    24: eight_of_clubs
    25: nine_of_clubs
    26: ten_of_clubs
    27: jack_of_clubs
    28: queen_of_clubs
    29: king_of_clubs
    33: ace_of_diamonds
    34: two_of_diamonds
    35: three_of_diamonds
    36: four_of_diamonds
    37: five_of_diamonds
    38: six_of_diamonds
    39: seven_of_diamonds
    40: eight_of_diamonds
    41: nine_of_diamonds
    42: ten_of_diamonds
    43: jack_of_diamonds
    44: queen_of_diamonds
    45: king_of_diamonds
    49: ace_of_hearts
    50: two_of_hearts
    51: three_of_hearts
    52: four_of_hearts
    53: five_of_hearts
    54: six_of_hearts
    55: seven_of_hearts
    56: eight_of_hearts
    57: nine_of_hearts
    58: ten_of_hearts
    59: jack_of_hearts
    60: queen_of_hearts
    61: king_of_hearts
    65: ace_of_spades
    66: two_of_spades
    67: three_of_spades
    68: four_of_spades
    69: five_of_spades
    70: six_of_spades
    71: seven_of_spades
    72: eight_of_spades
    73: nine_of_spades
    74: ten_of_spades
    75: jack_of_spades
    76: queen_of_spades
    77: king_of_spades
    81: joker_1
    82: joker_2
    83: joker_3
    84: joker_4
    96: unread
    97: face_up
    98: foreign_back
    99: cut_card
    100: blank
    101: duplicate
  place:
    0: nowhere
    1: seat_1
    2: seat_2
    3: seat_3
    4: seat_4
    5: seat_5
    6: seat_6
    7: seat_7
    8: seat_8
    9: seat_9
    10: seat_10
    11: seat_11
    12: seat_12
    13: seat_13
    14: seat_14
    15: seat_15
    16: seat_16
    17: seat_17
    18: seat_18
    19: seat_19
    20: seat_20
    21: seat_21
    22: seat_22
    23: seat_23
    24: seat_24
    25: seat_25
    26: seat_26
    27: seat_27
    28: seat_28
    29: seat_29
    30: seat_30
    31: seat_31
    32: seat_32
    64: community
    65: dealer
    66: burn
    67: remainder
    68: muck
    69: reject_tray
    70: shuffler
    71: shoe
    80: hand_1
    81: hand_2
    82: hand_3
    83: hand_4
    84: hand_5
    85: hand_6
    86: hand_7
    87: hand_8
    88: pile_1
    89: pile_2
    90: pile_3
    91: pile_4
    92: pile_5
    93: pile_6
    94: pile_7
    95: pile_8
  message:
    0x1: hello
    0x2: hello_reply
    0x3: heartbeat
    0x4: gap
    0x5: ack
    0x6: meters
    0x7: measured
    0x8: pair_call
    0x9: pair_answer
    0xa: pair_proof
    0xb: seal_call
    0xc: seal_answer
    0x20: open_session
    0x21: read_events
    0x22: report_status
    0x23: self_test
    0x24: read_meters
    0x25: verify
    0x30: booted
    0x31: fault_raised
    0x32: fault_cleared
    0x33: door_moved
    0x34: state_changed
    0x110: shuffler_status
    0x120: select_game
    0x121: dispense
    0x122: dump
    0x123: raise_lamp
    0x124: clear_misdeal
    0x125: set_lock
    0x140: green_button
    0x141: game_selected
    0x142: deck_loaded
    0x143: shuffle_started
    0x144: deck_verified
    0x145: packet_dispensed
    0x146: packet_lifted
    0x147: remainder_dumped
    0x148: remainder_lifted
    0x149: card_rejected
    0x14a: red_lamp
    0x14b: misdeal
    0x14c: misdeal_cleared
    0x14d: deck_removed
    0x210: shoe_status
    0x220: lock_shoe
    0x221: clear_shoe_error
    0x222: end_round
    0x240: shoe_loaded
    0x241: burn_started
    0x242: card_drawn
    0x243: card_unreadable
    0x244: cut_card_seen
    0x245: overdraw
    0x246: pushed_back
    0x247: pulled_back
    0x248: card_drawn_outside
    0x249: shoe_error
    0x24a: shoe_error_cleared
    0x24b: shoe_lock_moved
    0x24c: shoe_ended
    0x24d: card_reported_again
    0x310: controller_status
    0x320: set_sensor_light
    0x321: show_meter
    0x322: show_text
    0x340: game_started
    0x341: game_ended
    0x342: sensor_changed
    0x343: hand_button
    0x344: spot_selected
    0x345: badge_swiped
    0x346: confirmed
    0x347: wager_placed
    0x348: decision_made
    0x349: burn_confirmed
    0x34a: hand_revealed
    0x34b: cards_counted
    0x34c: misdeal_called
    0x34d: card_mishandled
    0x34e: hand_set
    0x34f: cards_discarded
    0x350: number_drawn
    0x351: wager_on
    0x352: hand_corrected
    0x353: stake_shown
    0x354: player_acted
    0x355: pot_taken
  extension_type:
    1: session
    2: statement
    3: certificate
