meta:
  id: bee_tek
  title: Item of a Bee-Tek style shoe
  license: Apache-2.0
  ks-version: "0.11"
  encoding: ASCII
doc: |
  One item of a Bee-Tek style shoe, from its first bracket to its last, without the blanks around. From public code;
  never met on hardware: what is sure and what is not is in bee-tek.md. Outside of this description is how a stream
  is cut into items, and the longest that a mode and an item may be.
doc-ref: bee-tek.md
seq:
  - id: opening
    type: u1
    valid:
      any-of: [0x5b, 0x3c]
  - id: mode
    type: str
    terminator: 0x5d
    if: opening == 0x5b
  - id: item_opening
    contents: "<"
    if: opening == 0x5b
  - id: item
    type: item
    size: _io.size - _io.pos - 1
  - id: closing
    contents: ">"
types:
  item:
    seq:
      - id: octets
        type: u1
        repeat: eos
        valid: {min: 0x20, max: 0x7e}
      - id: readable
        doc: A warning may stand alone; everything else needs its mode, and a card must be one.
        size: 0
        valid:
          expr: kind == kind::warned or (_parent.opening == 0x5b and (kind != kind::card_drawn or card.is_card))
    instances:
      text:
        pos: 0
        type: str
        size-eos: true
      trimmed:
        pos: 0
        type: blanks(0)
        size-eos: true
      is_warning:
        value: octets.size >= 4 and octets.size <= 11 and (octets[0] | 0x20) == 0x77 and octets[1] == 0x30
          and (octets[2] | 0x20) == 0x78 and digits.last.value >= 0
      digits:
        pos: 3
        type: "hex_digit(_index == 0 ? 0 : digits[_index - 1].value)"
        repeat: eos
      has_card:
        value: octets.size >= 5 and (octets[0] | 0x20) == 0x63 and (octets[1] | 0x20) == 0x61
          and (octets[2] | 0x20) == 0x72 and (octets[3] | 0x20) == 0x64 and octets[4] == 0x3a
      has_alarm:
        value: octets.size >= 6 and (octets[0] | 0x20) == 0x61 and (octets[1] | 0x20) == 0x6c
          and (octets[2] | 0x20) == 0x61 and (octets[3] | 0x20) == 0x72 and (octets[4] | 0x20) == 0x6d
          and octets[5] == 0x3a
      is_game:
        value: octets.size == 4 and (octets[0] | 0x20) == 0x67 and (octets[1] | 0x20) == 0x61
          and (octets[2] | 0x20) == 0x6d and (octets[3] | 0x20) == 0x65
      kind:
        value: "is_warning ? 4 : has_alarm ? 3 : has_card ? (card.is_empty ? 2 : 1) : (trimmed.is_empty or is_game) ? 2 : 5"
        enum: kind
      card:
        if: has_card
        pos: 5
        type: card
        size-eos: true
      alarm:
        if: has_alarm
        pos: 6
        type: alarm
        size-eos: true
      warning:
        if: is_warning
        value: digits.last.value
  hex_digit:
    doc: A digit of a number, and the number up to it; below 0 from the first character on that is no digit.
    params:
      - id: before
        type: s8
    seq:
      - id: octet
        type: u1
    instances:
      digit:
        value: "(octet >= 0x30 and octet <= 0x39) ? octet - 0x30 :
          ((octet | 0x20) >= 0x61 and (octet | 0x20) <= 0x66) ? (octet | 0x20) - 0x57 : -1"
      value:
        value: "(before < 0 or digit < 0) ? -1 : before * 16 + digit"
  blanks:
    doc: Blanks, and where they end.
    params:
      - id: start
        type: s4
    seq:
      - id: octets
        type: u1
        repeat: eos
    instances:
      run:
        if: start < octets.size
        pos: start
        type: u1
        repeat: until
        repeat-until: _ != 0x20 or _io.eof
      is_empty:
        value: start >= octets.size or run.last == 0x20
      after:
        value: "start >= octets.size ? start : start + run.size - (run.last == 0x20 ? 0 : 1)"
  card:
    doc: Rank, then suit, the ten as T or 10, with blanks around.
    seq:
      - id: lead
        type: blanks(0)
        size-eos: true
    instances:
      is_empty:
        value: lead.is_empty
      text:
        pos: lead.after
        type: str
        size-eos: true
        pad-right: 0x20
      first:
        if: not is_empty
        value: lead.octets[lead.after]
      is_ten_in_digits:
        value: text.length == 3 and first == 0x31 and lead.octets[lead.after + 1] == 0x30
      rank:
        doc: 1 to 13, 0 where it is no rank
        value: "is_ten_in_digits ? 10 : text.length != 2 ? 0 : (first >= 0x32 and first <= 0x39) ? first - 0x30 :
          (first | 0x20) == 0x61 ? 1 : (first | 0x20) == 0x74 ? 10 : (first | 0x20) == 0x6a ? 11 :
          (first | 0x20) == 0x71 ? 12 : (first | 0x20) == 0x6b ? 13 : 0"
      suit:
        value: "rank == 0 ? 0 : lead.octets[lead.after + text.length - 1] | 0x20"
        enum: suit
      is_card:
        value: suit == suit::clubs or suit == suit::diamonds or suit == suit::hearts or suit == suit::spades
  alarm:
    doc: A letter and one to three digits where they are a word of their own, then the alarm's words.
    seq:
      - id: octets
        type: u1
        repeat: eos
    instances:
      is_letter:
        value: octets.size > 1 and (octets[0] | 0x20) >= 0x61 and (octets[0] | 0x20) <= 0x7a
      digits:
        value: "(not is_letter or octets[1] < 0x30 or octets[1] > 0x39) ? 0 :
          (octets.size < 3 or octets[2] < 0x30 or octets[2] > 0x39) ? 1 :
          (octets.size < 4 or octets[3] < 0x30 or octets[3] > 0x39) ? 2 : 3"
      goes_on:
        value: digits != 0 and octets.size > digits + 1 and (
          (octets[digits + 1] >= 0x30 and octets[digits + 1] <= 0x39) or octets[digits + 1] == 0x5f or
          ((octets[digits + 1] | 0x20) >= 0x61 and (octets[digits + 1] | 0x20) <= 0x7a))
      code_size:
        value: "(digits == 0 or goes_on) ? 0 : digits + 1"
      code:
        doc: in the case that the shoe wrote it in
        pos: 0
        type: str
        size: code_size
      rest:
        pos: 0
        type: blanks(code_size)
        size-eos: true
      words:
        pos: rest.after
        type: str
        size-eos: true
enums:
  kind:
    1: card_drawn
    2: card_not_read
    3: alarm
    4: warned
    5: unknown_item
  suit:
    0x63: clubs
    0x64: diamonds
    0x68: hearts
    0x73: spades
