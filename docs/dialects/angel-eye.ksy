meta:
  id: angel_eye
  title: Frame of an Angel Eye II-EX style shoe
  license: Apache-2.0
  ks-version: "0.11"
  encoding: ASCII
doc: |
  One frame between an Angel Eye II-EX style shoe and its host. From public code; never met on hardware: what is
  sure and what is not is in angel-eye.md. Outside of this description are how a stream is cut into frames and the
  check: `check` is read, and whoever reads has to hold it against the XOR of the bytes that angel-eye.md names.
doc-ref: angel-eye.md
seq:
  - id: start
    type: u1
    enum: start
    valid:
      in-enum: true
  - id: content
    type:
      switch-on: start
      cases:
        start::report: report
        start::command: words
        start::ack: nothing
        start::nak: rejection
types:
  nothing:
    doc: No byte may stand here.
    seq:
      - id: octets
        size-eos: true
        valid:
          expr: _.length == 0
  rejection:
    seq:
      - id: reason
        type: u1
        enum: nak_reason
        valid:
          in-enum: true
      - id: end
        type: nothing
  report:
    seq:
      - id: sequence
        type: u1
        valid: {min: 0x20, max: 0x7e}
      - id: letter
        type: str
        size: 1
      - id: data
        size: _io.size - _io.pos - 3
        doc: bytes where the letter is not known
        type:
          switch-on: letter
          cases:
            '"S"': nothing
            '"P"': nothing
            '"D"': card_drawn
            '"R"': card_drawn
            '"d"': card_drawn_outside
            '"C"': nothing
            '"G"': game_result
            '"E"': error_raised
            '"e"': error_cleared
            '"L"': lock_moved
            '"M"': setting_changed
      - id: etx
        contents: [3]
      - id: check
        type: str
        size: 2
      - id: end
        type: nothing
  card:
    doc: Rank 1 to 13, and 0 for none; none at all when both are 0, an unread card when one is.
    seq:
      - id: octet
        type: u1
        valid:
          expr: _ >= 0x80 and ((_ >> 4) & 7) <= 4 and (_ & 15) <= 13
    instances:
      suit:
        value: (octet >> 4) & 7
        enum: suit
      rank:
        value: octet & 15
  card_drawn:
    seq:
      - id: place
        type: u1
        valid: {min: 0x80}
      - id: card
        type: card
      - id: end
        type: nothing
    instances:
      destination:
        value: (place >> 4) & 7
        enum: destination
      ordinal:
        value: place & 15
  card_drawn_outside:
    seq:
      - id: place
        type: u1
        valid: {min: 0x80}
      - id: card
        type: card
      - id: end
        type: nothing
    instances:
      mode:
        value: (place >> 4) & 7
        enum: mode
      ordinal:
        value: place & 15
  game_result:
    seq:
      - id: octet
        type: u1
        valid: {min: 0x80}
      - id: end
        type: nothing
    instances:
      winner:
        value: (octet >> 4) & 7
        enum: winner
      player_pair:
        value: (octet & 1) != 0
      banker_pair:
        value: (octet & 2) != 0
  error_raised:
    seq:
      - id: octet
        type: u1
        valid: {min: 0x80}
      - id: end
        type: nothing
    instances:
      error_mode:
        value: (octet & 0x40) != 0
      trouble:
        value: octet & 0x3f
        enum: trouble
  error_cleared:
    seq:
      - id: octet
        type: u1
        valid: {min: 0x80}
      - id: end
        type: nothing
    instances:
      trouble:
        value: octet & 0x3f
        enum: trouble
  lock_moved:
    seq:
      - id: octet
        type: u1
        valid: {min: 0x80}
      - id: end
        type: nothing
    instances:
      locked:
        value: (octet & 1) != 0
  setting_changed:
    seq:
      - id: octets
        type: u1
        repeat: eos
        valid: {min: 0x20, max: 0x7e}
      - id: six_characters
        size: 0
        valid:
          expr: octets.size == 6
    instances:
      address:
        pos: 0
        type: str
        size: 2
      value:
        pos: 2
        type: str
        size: 4
  words:
    doc: A command, or an answer in words.
    seq:
      - id: body
        type: body
        size: _io.size - _io.pos - 3
      - id: etx
        contents: [3]
      - id: check
        type: str
        size: 2
      - id: end
        type: nothing
  body:
    seq:
      - id: octets
        type: u1
        repeat: eos
        valid: {min: 0x20, max: 0x7e}
      - id: known_operation
        size: 0
        valid:
          expr: not is_command or operation == "EC" or (operation == "GP" and number == 0)
            or (operation == "LK" and (number == 1 or number == 2))
    instances:
      is_command:
        value: octets.size == 6 and octets[0] == 0x4f and octets[1] == 0x50
          and octets[4] >= 0x30 and octets[4] <= 0x39 and octets[5] >= 0x30 and octets[5] <= 0x39
      operation:
        if: is_command
        pos: 2
        type: str
        size: 2
      number:
        if: is_command
        value: (octets[4] - 0x30) * 10 + octets[5] - 0x30
        doc: of LK 2 locks and 1 unlocks; of EC the trouble
      text:
        pos: 0
        type: str
        size-eos: true
# printed by make docs from here on
enums:
  start:
    0x2: command
    0x5: report
    0x6: ack
    0x15: nak
  nak_reason:
    0x1: line_error
    0x2: check_error
    0x3: no_etx
    0x11: bad_length
    0x12: bad_address
    0x13: bad_command
    0x14: bad_type
    0x21: busy
    0x22: writing
    0xff: other
  destination:
    0x0: player
    0x1: banker
    0x2: burn
    0x4: first_card
    0x5: burn_count
  mode:
    0x0: lock
    0x1: error
    0x2: setting
  trouble:
    0x1: cannot_read
    0x2: overdraw
    0x3: wrong_button
    0x4: pushed_back
    0x5: pulled_back
    0x6: code_wrong
    0x7: draw_too_slow
  winner:
    0x1: player
    0x2: tie
    0x4: banker
    0x7: forced_end
  suit:
    0x0: none
    0x1: diamonds
    0x2: clubs
    0x3: spades
    0x4: hearts
