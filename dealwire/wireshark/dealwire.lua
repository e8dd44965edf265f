-- Table Device Protocol, Angel Eye style and Bee-Tek style shoes in Wireshark. Part of dealwire, Apache-2.0.
-- Printed from the protocol's declarations: change those, or docs/_print/lua, and not this file.
-- It is kept in the tree because a wheel is built without the program's dependencies, which the printer needs, and so
-- that a change of the protocol shows what a reader of captures will see. tests/test_printed.py holds it to its parts.
-- `dealwire wireshark install` puts it where Wireshark looks for it.
-- Once is enough: a second one, named by hand beside the installed one, does nothing.
if _G.dealwire_is_loaded then return end
_G.dealwire_is_loaded = true
set_plugin_info({ version = "1.4", author = "dealwire", description = "Card devices of casino tables" })

local TDP = {}
TDP.values = {
  ActionManner = {[0]="NONE",[1]="STRING_BET",[2]="TIME_LIMIT",[3]="CORRECTED"},
  Algorithm = {[1]="SHA256"},
  BadgeLevel = {[1]="DEALER",[2]="SUPERVISOR",[3]="EXECUTIVE"},
  BootCause = {[1]="POWER_ON",[2]="WATCHDOG",[3]="COMMANDED"},
  Component = {[0]="DEVICE",[1]="FEED",[2]="COMPARTMENTS",[3]="EXIT",[4]="TRAY",[5]="REJECT_TRAY",[6]="READER",[7]="DOOR",[8]="LINK"},
  ControllerState = {[0]="BOOT",[1]="BETS_OPEN",[2]="GAME",[3]="AWARD",[4]="SAFE",[5]="SETUP"},
  Decision = {[1]="FOLD",[2]="PLAY"},
  DeviceClass = {[1]="SHUFFLER",[2]="SHOE",[3]="TABLE_CONTROLLER",[15]="EMULATOR"},
  DeviceMeter = {
    [1]="ROUNDS",
    [2]="PACKETS",
    [3]="CARDS",
    [4]="SHUFFLES_DONE",
    [5]="SHUFFLES_FAILED",
    [6]="SERVICE_SHUFFLES",
    [7]="CARDS_SHUFFLED",
    [8]="CARDS_SORTED",
    [9]="DECKS",
    [10]="SHOES",
    [11]="JAMS",
    [12]="MISDEALS",
    [13]="REJECTED_CARDS",
    [14]="UNREAD_CARDS",
    [15]="FAULTS",
    [16]="HOURS_POWERED",
    [17]="POWER_CYCLES",
    [18]="DOOR_OPENINGS",
    [19]="SELF_TESTS",
    [20]="SERVICE_VISITS",
    [21]="COMMANDS_REFUSED",
  },
  Kind = {[1]="COMMAND",[2]="REPLY",[3]="PROGRESS",[4]="EVENT",[5]="ACK",[6]="NAK",[7]="LINK"},
  Mishandling = {
    [1]="EXPOSED",
    [2]="OFF_TABLE",
    [3]="FOULED",
    [4]="JOKER",
    [5]="BOXED",
    [6]="FOULED_BY_PLAYER",
    [7]="FOULED_BY_OTHERS",
    [8]="RECONSTRUCTED",
    [9]="DROPPED",
    [10]="RETURNED_TO_DECK",
    [11]="EARLY",
    [12]="EXPOSED_BY_PLAYER",
    [13]="NOT_BURNED",
  },
  PlayerAction = {[1]="BET",[2]="RAISE",[3]="CALL",[4]="FOLD",[5]="CHECK",[6]="ALL_IN",[7]="BRING_IN",[8]="FORFEIT",[9]="CHOP",[10]="WITHDRAW",[11]="SIT_OUT"},
  Reason = {
    [0]="NONE",
    [1]="UNKNOWN_COMMAND",
    [2]="BAD_PARAMETER",
    [3]="WRONG_STATE",
    [4]="BUSY",
    [5]="NOT_PERMITTED",
    [6]="NOT_SUPPORTED",
    [7]="REQUEST_ID_REUSED",
    [8]="NO_SESSION",
    [9]="UNKNOWN_FLAG",
    [10]="UNKNOWN_VERSION",
    [11]="BAD_PAYLOAD",
    [12]="NOT_SEALED",
  },
  Region = {[0]="FIRMWARE"},
  Resolution = {[1]="RESUME",[2]="REMOVE_DECK"},
  RevealSource = {[1]="READER",[2]="KEYED"},
  Role = {[0]="OBSERVE",[1]="OPERATE",[2]="SERVICE"},
  SetBy = {[1]="PLAYER",[2]="HOUSE_WAY",[3]="DEALER"},
  ShoeMode = {[1]="LOCKED",[2]="ERROR",[3]="SETUP"},
  ShoeState = {[0]="BOOT",[1]="EMPTY",[2]="LOADED",[3]="BURN",[4]="STANDBY",[5]="ROUND",[6]="CUT_CARD_SEEN",[7]="SHOE_END",[8]="ERROR",[9]="LOCKED",[10]="SETUP"},
  ShufflerState = {
    [0]="BOOT",
    [1]="SELF_TEST",
    [2]="EMPTY",
    [3]="LOADED",
    [4]="SHUFFLING",
    [5]="VERIFYING",
    [6]="READY",
    [7]="DISPENSING",
    [8]="PACKET_WAIT",
    [9]="DUMPING",
    [10]="REMAINDER_WAIT",
    [11]="RECOVERING",
    [12]="MISDEAL",
    [13]="FAULT",
    [14]="OPEN",
    [15]="LOCKED",
    [16]="SAFE",
    [17]="SETUP",
  },
  Spread = {[1]="LEFT_TO_RIGHT",[2]="RIGHT_TO_LEFT"},
  Status = {[0]="ACCEPTED",[1]="DONE",[2]="REFUSED"},
  cut_card_seen = {[0]="no",[1]="yes"},
  door_open = {[0]="closed",[1]="open"},
  foul = {[0]="no",[1]="set against the rules"},
  halted = {[0]="no",[1]="in error mode"},
  lit = {[0]="out",[1]="lit"},
  locked = {[0]="unlocked",[1]="locked"},
  message = {
    [1]="Hello",
    [2]="Hello reply",
    [3]="Heartbeat",
    [4]="Gap",
    [5]="Ack",
    [6]="Meters",
    [7]="Measured",
    [8]="Pair call",
    [9]="Pair answer",
    [10]="Pair proof",
    [11]="Seal call",
    [12]="Seal answer",
    [272]="Shuffler status",
    [528]="Shoe status",
    [784]="Controller status",
    [32]="Open session",
    [33]="Read events",
    [34]="Report status",
    [35]="Self test",
    [36]="Read meters",
    [37]="Verify",
    [288]="Select game",
    [289]="Dispense",
    [290]="Dump",
    [291]="Raise lamp",
    [292]="Clear misdeal",
    [293]="Set lock",
    [544]="Lock shoe",
    [545]="Clear shoe error",
    [546]="End round",
    [800]="Set sensor light",
    [801]="Show meter",
    [802]="Show text",
    [48]="Booted",
    [49]="Fault raised",
    [50]="Fault cleared",
    [51]="Door moved",
    [52]="State changed",
    [320]="Green button",
    [321]="Game selected",
    [322]="Deck loaded",
    [323]="Shuffle started",
    [324]="Deck verified",
    [325]="Packet dispensed",
    [326]="Packet lifted",
    [327]="Remainder dumped",
    [328]="Remainder lifted",
    [329]="Card rejected",
    [330]="Red lamp",
    [331]="Misdeal",
    [332]="Misdeal cleared",
    [333]="Deck removed",
    [576]="Shoe loaded",
    [577]="Burn started",
    [578]="Card drawn",
    [579]="Card unreadable",
    [580]="Cut card seen",
    [581]="Overdraw",
    [582]="Pushed back",
    [583]="Pulled back",
    [584]="Card drawn outside",
    [585]="Shoe error",
    [586]="Shoe error cleared",
    [587]="Shoe lock moved",
    [588]="Shoe ended",
    [589]="Card reported again",
    [832]="Game started",
    [833]="Game ended",
    [834]="Sensor changed",
    [835]="Hand button",
    [836]="Spot selected",
    [837]="Badge swiped",
    [838]="Confirmed",
    [839]="Wager placed",
    [840]="Decision made",
    [841]="Burn confirmed",
    [842]="Hand revealed",
    [843]="Cards counted",
    [844]="Misdeal called",
    [845]="Card mishandled",
    [846]="Hand set",
    [847]="Cards discarded",
    [848]="Number drawn",
    [849]="Wager on",
    [850]="Hand corrected",
    [851]="Stake shown",
    [852]="Player acted",
    [853]="Pot taken",
  },
  mid_round = {[0]="no",[1]="yes"},
  on = {[0]="off",[1]="on"},
  open = {[0]="closed",[1]="opened"},
  remainder = {[65535]="NOT_KNOWN"},
  Fault = {
    [0]="none",
    [101]="too few cards",
    [102]="too many cards",
    [103]="foreign back",
    [104]="flipped card",
    [105]="duplicate card",
    [106]="missing card",
    [201]="feed jam",
    [202]="compartment jam",
    [203]="exit jam",
    [204]="card lost",
    [205]="sensor failed",
    [301]="packet short",
    [302]="packet long",
    [303]="packet lifted early",
    [304]="packet not lifted",
    [305]="remainder count wrong",
    [401]="card unreadable",
    [402]="overdraw",
    [403]="pushed back",
    [404]="pulled back",
    [405]="draw while locked",
    [406]="wrong button",
    [407]="card code wrong",
    [408]="draw too slow",
    [501]="door opened mid round",
    [502]="power lost mid round",
    [503]="configuration changed",
    [504]="counter invariant broken",
    [505]="misdeal called by host",
    [601]="host lost",
    [602]="events lost",
    [603]="version mismatch",
  },
  card = {
    [0]="--",
    [17]="AC",
    [18]="2C",
    [19]="3C",
    [20]="4C",
    [21]="5C",
    [22]="6C",
    [23]="7C",
    [24]="8C",
    [25]="9C",
    [26]="TC",
    [27]="JC",
    [28]="QC",
    [29]="KC",
    [33]="AD",
    [34]="2D",
    [35]="3D",
    [36]="4D",
    [37]="5D",
    [38]="6D",
    [39]="7D",
    [40]="8D",
    [41]="9D",
    [42]="TD",
    [43]="JD",
    [44]="QD",
    [45]="KD",
    [49]="AH",
    [50]="2H",
    [51]="3H",
    [52]="4H",
    [53]="5H",
    [54]="6H",
    [55]="7H",
    [56]="8H",
    [57]="9H",
    [58]="TH",
    [59]="JH",
    [60]="QH",
    [61]="KH",
    [65]="AS",
    [66]="2S",
    [67]="3S",
    [68]="4S",
    [69]="5S",
    [70]="6S",
    [71]="7S",
    [72]="8S",
    [73]="9S",
    [74]="TS",
    [75]="JS",
    [76]="QS",
    [77]="KS",
    [81]="X1",
    [82]="X2",
    [83]="X3",
    [84]="X4",
    [96]="??",
    [97]="?^",
    [98]="?#",
    [99]="||",
    [100]="__",
    [101]="==",
  },
  place = {
    [0]="nowhere",
    [1]="seat 1",
    [2]="seat 2",
    [3]="seat 3",
    [4]="seat 4",
    [5]="seat 5",
    [6]="seat 6",
    [7]="seat 7",
    [8]="seat 8",
    [9]="seat 9",
    [10]="seat 10",
    [11]="seat 11",
    [12]="seat 12",
    [13]="seat 13",
    [14]="seat 14",
    [15]="seat 15",
    [16]="seat 16",
    [17]="seat 17",
    [18]="seat 18",
    [19]="seat 19",
    [20]="seat 20",
    [21]="seat 21",
    [22]="seat 22",
    [23]="seat 23",
    [24]="seat 24",
    [25]="seat 25",
    [26]="seat 26",
    [27]="seat 27",
    [28]="seat 28",
    [29]="seat 29",
    [30]="seat 30",
    [31]="seat 31",
    [32]="seat 32",
    [64]="community",
    [65]="dealer",
    [66]="burn",
    [67]="remainder",
    [68]="muck",
    [69]="reject tray",
    [70]="shuffler",
    [71]="shoe",
    [80]="hand 1",
    [81]="hand 2",
    [82]="hand 3",
    [83]="hand 4",
    [84]="hand 5",
    [85]="hand 6",
    [86]="hand 7",
    [87]="hand 8",
    [88]="pile 1",
    [89]="pile 2",
    [90]="pile 3",
    [91]="pile 4",
    [92]="pile 5",
    [93]="pile 6",
    [94]="pile 7",
    [95]="pile 8",
  },
}
TDP.version = 1
TDP.version_text = "1.4"
TDP.max_frame = 256
TDP.min_frame = 12
TDP.max_encoded = 258
TDP.residue = 558161692
TDP.partial_s = 0.05
TDP.remembered_s = 10
TDP.extensions = {[1]="session of an old event",[2]="signed measurement",[3]="certificate of the maker"}
TDP.inside = {[2]={size=132,parts={{key="signed.length",label="Length of the image",size=4,number=true},{key="signed.sha256",label="SHA-256 of the image",size=32},{key="signed.line_key",label="X25519 key of the device",size=32},{key="signed.signature",label="Signature (Ed25519)",size=64}}},[3]={size=96,parts={{key="certificate.key",label="Ed25519 key of the device",size=32},{key="certificate.signature",label="Signature of the maker (Ed25519)",size=64}}}}
TDP.fault_classes = {[1]="input",[2]="card transport",[3]="dispensing",[4]="shoe reading",[5]="integrity",[6]="link"}
TDP.fault_events = {[49]="fault",[585]="fault",[331]="misdeal",[844]="misdeal",[581]="fault",[582]="fault",[583]="fault",[329]="fault"}
TDP.flags = {FrameFlag={{128,"SEALED"}},Reader={{1,"INDEX"},{2,"CODE"},{4,"DISAGREE"},{8,"DIRTY"},{16,"SLOW"}},Capability={{1,"CARD_RECOGNITION"},{2,"TWO_DECKS"},{4,"COUNTS_PACKETS"},{8,"HOST_LAMP"},{16,"LAYOUT_READER"},{32,"BET_SENSORS"},{64,"METERS"},{128,"VERIFY"},{256,"SEALING"},{512,"ATTESTATION"}},Lamp={{1,"RED"},{2,"GREEN"}}}
TDP.states = {state={ShufflerState="state.shuffler",ShoeState="state.shoe",ControllerState="state.controller"},previous={ShufflerState="previous.shuffler",ShoeState="previous.shoe",ControllerState="previous.controller"}}
TDP.names = {
    [1]="Hello",
    [2]="Hello reply",
    [3]="Heartbeat",
    [4]="Gap",
    [5]="Ack",
    [6]="Meters",
    [7]="Measured",
    [8]="Pair call",
    [9]="Pair answer",
    [10]="Pair proof",
    [11]="Seal call",
    [12]="Seal answer",
    [272]="Shuffler status",
    [528]="Shoe status",
    [784]="Controller status",
    [32]="Open session",
    [33]="Read events",
    [34]="Report status",
    [35]="Self test",
    [36]="Read meters",
    [37]="Verify",
    [288]="Select game",
    [289]="Dispense",
    [290]="Dump",
    [291]="Raise lamp",
    [292]="Clear misdeal",
    [293]="Set lock",
    [544]="Lock shoe",
    [545]="Clear shoe error",
    [546]="End round",
    [800]="Set sensor light",
    [801]="Show meter",
    [802]="Show text",
    [48]="Booted",
    [49]="Fault raised",
    [50]="Fault cleared",
    [51]="Door moved",
    [52]="State changed",
    [320]="Green button",
    [321]="Game selected",
    [322]="Deck loaded",
    [323]="Shuffle started",
    [324]="Deck verified",
    [325]="Packet dispensed",
    [326]="Packet lifted",
    [327]="Remainder dumped",
    [328]="Remainder lifted",
    [329]="Card rejected",
    [330]="Red lamp",
    [331]="Misdeal",
    [332]="Misdeal cleared",
    [333]="Deck removed",
    [576]="Shoe loaded",
    [577]="Burn started",
    [578]="Card drawn",
    [579]="Card unreadable",
    [580]="Cut card seen",
    [581]="Overdraw",
    [582]="Pushed back",
    [583]="Pulled back",
    [584]="Card drawn outside",
    [585]="Shoe error",
    [586]="Shoe error cleared",
    [587]="Shoe lock moved",
    [588]="Shoe ended",
    [589]="Card reported again",
    [832]="Game started",
    [833]="Game ended",
    [834]="Sensor changed",
    [835]="Hand button",
    [836]="Spot selected",
    [837]="Badge swiped",
    [838]="Confirmed",
    [839]="Wager placed",
    [840]="Decision made",
    [841]="Burn confirmed",
    [842]="Hand revealed",
    [843]="Cards counted",
    [844]="Misdeal called",
    [845]="Card mishandled",
    [846]="Hand set",
    [847]="Cards discarded",
    [848]="Number drawn",
    [849]="Wager on",
    [850]="Hand corrected",
    [851]="Stake shown",
    [852]="Player acted",
    [853]="Pot taken",
  }
TDP.header = {{name="version",key="version",at=0,size=1},{name="flags",key="flags",at=1,size=1,flags="FrameFlag"},{name="kind",key="kind",at=2,size=1},{name="link_sequence",key="link_sequence",at=3,size=1},{name="request",key="request",at=4,size=2},{name="message",key="message",at=6,size=2}}
TDP.fields = {
    {[1]="version",[2]="tdp.version",[3]="Version",[4]="uint8",[6]="protocol major number"},
    {[1]="flags",[2]="tdp.flags",[3]="Flags",[4]="uint8",[6]="bits 7-4: the receiver must understand them; bits 3-0: it may ignore them",hex=true},
    {[1]="flags.SEALED",[2]="tdp.flags.sealed",[3]="Sealed",[4]="bool",width=8,mask=128},
    {[1]="kind",[2]="tdp.kind",[3]="Kind",[4]="uint8",[5]="Kind",[6]="kind of the frame"},
    {[1]="link_sequence",[2]="tdp.link_sequence",[3]="Link sequence",[4]="uint8",[6]="counter of the frames sent in this direction, modulo 256"},
    {[1]="request",[2]="tdp.request",[3]="Request",[4]="uint16",[6]="id of the command that this belongs to, 0 for none"},
    {[1]="message",[2]="tdp.message",[3]="Message",[4]="uint16",[5]="message",[6]="id of the message, which determines the payload's layout",hex=true},
    {[1]="session",[2]="tdp.session",[3]="Session",[4]="uint32",[6]="as HELLO-REPLY gave it / current session, or the previous one / session of the events / random, made at power-up, never 0 / session that the host is in / the device's / the random number made at power-up",hex=true},
    {[1]="major",[2]="tdp.major",[3]="Major",[4]="uint8",[6]="version that the host picked"},
    {[1]="minor",[2]="tdp.minor",[3]="Minor",[4]="uint8"},
    {[1]="role",[2]="tdp.role",[3]="Role",[4]="uint8",[5]="Role"},
    {[1]="first",[2]="tdp.first",[3]="First",[4]="uint32",[6]="event number to start from / index of the first meter wanted, from 0 / as in the command; none follow beyond the last"},
    {[1]="nonce",[2]="tdp.nonce",[3]="Nonce",[4]="bytes",[6]="random, drawn for this command / as in the command"},
    {[1]="region",[2]="tdp.region",[3]="Region",[4]="uint8",[5]="Region",[6]="region to measure; 0: the whole firmware image / as in the command"},
    {[1]="packet_size",[2]="tdp.packet_size",[3]="Cards of a packet",[4]="uint8",[6]="cards in a packet; 0: the device's own program for the game decides"},
    {[1]="cards",[2]="tdp.cards",[3]="Cards",[4]="uint16",[6]="cards in the whole deck, jokers included / cards put in"},
    {[1]="jokers",[2]="tdp.jokers",[3]="Jokers",[4]="uint8",[6]="jokers among them"},
    {[1]="game",[2]="tdp.game",[3]="Game",[4]="string",[6]="procedure id"},
    {[1]="fault",[2]="tdp.fault",[3]="Fault",[4]="uint16",[5]="Fault",[6]="the error that was fixed"},
    {[1]="badge",[2]="tdp.badge",[3]="Badge",[4]="uint32",[6]="person who acknowledged / person who fixed it / 0: with the device's own key / badge number / person who called it / badge that was swiped"},
    {[1]="resolution",[2]="tdp.resolution",[3]="Resolution",[4]="uint8",[5]="Resolution"},
    {[1]="locked",[2]="tdp.locked",[3]="Locked",[4]="bool",[5]="locked",[6]="1 to lock, 0 to unlock / 1 locked, 0 unlocked / 1 when locked"},
    {[1]="seat",[2]="tdp.seat",[3]="Seat",[4]="uint8",[6]="1 at the dealer's left, then clockwise / 1 at the dealer's left, then clockwise; 0: the dealer"},
    {[1]="lit",[2]="tdp.lit",[3]="Lit",[4]="bool",[5]="lit",[6]="1 on, 0 off / 1 lit, 0 out"},
    {[1]="meter",[2]="tdp.meter",[3]="Meter",[4]="uint8",[6]="its number in the controller's set-up"},
    {[1]="cents",[2]="tdp.cents",[3]="Amount",[4]="uint64",[6]="amount to show / whole bet on that spot, 0: taken back / whole wager on this proposition, 0: taken back / amount that the seat can bet in this hand, 0: no one plays there / total bet of the seat in this betting round after the action; unchanged if nothing was added / amount that the seat took"},
    {[1]="text",[2]="tdp.text",[3]="Text",[4]="string",[6]="one line for the dealer"},
    {[1]="number",[2]="tdp.number",[3]="Event number",[4]="uint32",[6]="counts up by one within a session, from 1"},
    {[1]="device_ms",[2]="tdp.device_ms",[3]="Device clock",[4]="uint32",[6]="the device's own clock, milliseconds since it started"},
    {[1]="boot_count",[2]="tdp.boot_count",[3]="Boot count",[4]="uint32",[6]="as in HELLO-REPLY / number of times this device has started"},
    {[1]="previous_session",[2]="tdp.previous_session",[3]="Previous session",[4]="uint32",[6]="session whose last round can still be read; 0: none",hex=true},
    {[1]="cause",[2]="tdp.cause",[3]="Cause",[4]="uint8",[5]="BootCause"},
    {[1]="mid_round",[2]="tdp.mid_round",[3]="In the middle of a round",[4]="bool",[5]="mid_round",[6]="1: the power failed in the middle of a round"},
    {[1]="place",[2]="tdp.place",[3]="Place",[4]="uint8",[5]="place",[6]="destination as the device believes; nowhere if it does not know / place of the card / place of the hand"},
    {[1]="value",[2]="tdp.value",[3]="Value",[4]="uint16",[6]="number that the fault counts, else 0"},
    {[1]="open",[2]="tdp.open",[3]="Open",[4]="bool",[5]="open",[6]="1 opened, 0 closed"},
    {[1]="state.shuffler",[2]="tdp.state.shuffler",[3]="State",[4]="uint8",[5]="ShufflerState",[6]="meaning by device class / device state, by its class"},
    {[1]="state.shoe",[2]="tdp.state.shoe",[3]="State",[4]="uint8",[5]="ShoeState",[6]="meaning by device class / device state, by its class"},
    {[1]="state.controller",[2]="tdp.state.controller",[3]="State",[4]="uint8",[5]="ControllerState",[6]="meaning by device class / device state, by its class"},
    {[1]="state",[2]="tdp.state",[3]="State",[4]="uint8",[6]="meaning by device class / device state, by its class"},
    {[1]="previous.shuffler",[2]="tdp.previous.shuffler",[3]="Previous state",[4]="uint8",[5]="ShufflerState",[6]="previous state"},
    {[1]="previous.shoe",[2]="tdp.previous.shoe",[3]="Previous state",[4]="uint8",[5]="ShoeState",[6]="previous state"},
    {[1]="previous.controller",[2]="tdp.previous.controller",[3]="Previous state",[4]="uint8",[5]="ControllerState",[6]="previous state"},
    {[1]="previous",[2]="tdp.previous",[3]="Previous state",[4]="uint8",[6]="previous state"},
    {[1]="deck",[2]="tdp.deck",[3]="Deck",[4]="uint8",[6]="1 or 2, of the two alternating decks / as in the status; 0: no deck was counted / deck being dealt, else the ready one counted last: 1 or 2; 0: none"},
    {[1]="back",[2]="tdp.back",[3]="Kind of back",[4]="uint8",[6]="number of the back design, different for the two decks, constant for each; 0: not seen"},
    {[1]="expected",[2]="tdp.expected",[3]="Expected",[4]="uint16",[6]="cards that the game requires / cards the packet should have / loaded - rejected - packets lifted, or - all packets: see Packet shuffler"},
    {[1]="counted",[2]="tdp.counted",[3]="Counted",[4]="uint16",[6]="cards found / cards the device counted / cards that a person counted"},
    {[1]="ordinal",[2]="tdp.ordinal",[3]="Ordinal",[4]="uint16",[6]="1 for the first packet of the round / which packet of the round / cards that have left this shoe, including this one / last card before it; 0: none / card that was pushed back / cards that have left this shoe"},
    {[1]="cards.list",[2]="tdp.cards.list",[3]="Cards",[4]="none",[6]="top card first; empty without recognition"},
    {[1]="cards.count",[2]="tdp.cards.count",[3]="Count",[4]="uint8"},
    {[1]="card",[2]="tdp.card",[3]="Card",[4]="uint8",[5]="card",[6]="none without recognition / unread when it was not read / its face if it was seen, else unread"},
    {[1]="loaded",[2]="tdp.loaded",[3]="Loaded",[4]="uint16",[6]="cards counted in the deck / cards counted in that deck / cards it was filled with"},
    {[1]="remainder",[2]="tdp.remainder",[3]="Remainder",[4]="uint16",[5]="remainder",[6]="FFFFh: not known / cards counted in the dumped remainder; 0 before it and once the round is over"},
    {[1]="rejected",[2]="tdp.rejected",[3]="Rejected",[4]="uint8",[6]="cards in the reject tray / cards of that deck in the reject tray"},
    {[1]="packets.list",[2]="tdp.packets.list",[3]="Packets",[4]="none",[6]="in the order they were dispensed"},
    {[1]="packets.count",[2]="tdp.packets.count",[3]="Count",[4]="uint8"},
    {[1]="packets.row",[2]="tdp.packets.row",[3]="Packet",[4]="none"},
    {[1]="shoe",[2]="tdp.shoe",[3]="Shoe",[4]="uint32",[6]="number of the shoe, counted at each filling"},
    {[1]="decks",[2]="tdp.decks",[3]="Decks",[4]="uint8",[6]="decks put in / decks it was filled with"},
    {[1]="count",[2]="tdp.count",[3]="Count",[4]="uint32",[6]="cards to burn"},
    {[1]="confidence",[2]="tdp.confidence",[3]="Confidence",[4]="uint8",[6]="confidence of the reading, 0 to 100 percent"},
    {[1]="reader",[2]="tdp.reader",[3]="Reader",[4]="uint8",[6]="findings of the reader",hex=true},
    {[1]="reader.INDEX",[2]="tdp.reader.index",[3]="Index",[4]="bool",width=8,mask=1},
    {[1]="reader.CODE",[2]="tdp.reader.code",[3]="Code",[4]="bool",width=8,mask=2},
    {[1]="reader.DISAGREE",[2]="tdp.reader.disagree",[3]="Disagree",[4]="bool",width=8,mask=4},
    {[1]="reader.DIRTY",[2]="tdp.reader.dirty",[3]="Dirty",[4]="bool",width=8,mask=8},
    {[1]="reader.SLOW",[2]="tdp.reader.slow",[3]="Slow",[4]="bool",width=8,mask=16},
    {[1]="drawn",[2]="tdp.drawn",[3]="Drawn",[4]="uint16",[6]="cards drawn before it / cards that have left the shoe / total of the dice, or the number shown"},
    {[1]="halted",[2]="tdp.halted",[3]="Halted",[4]="bool",[5]="halted",[6]="1: the device entered its error mode / 1 in error mode"},
    {[1]="mode",[2]="tdp.mode",[3]="Mode",[4]="uint8",[5]="ShoeMode",[6]="mode of the shoe"},
    {[1]="round",[2]="tdp.round",[3]="Round",[4]="uint32",[6]="number of the round, counted by the controller"},
    {[1]="on",[2]="tdp.on",[3]="On",[4]="bool",[5]="on",[6]="1: bet on the sensor, 0: off / 1 on, 0 off"},
    {[1]="hand",[2]="tdp.hand",[3]="Hand",[4]="uint8",[6]="the button's number"},
    {[1]="level",[2]="tdp.level",[3]="Level",[4]="uint8",[5]="BadgeLevel"},
    {[1]="bet",[2]="tdp.bet",[3]="Betting spot",[4]="uint8",[6]="number of the spot in the game file"},
    {[1]="decision",[2]="tdp.decision",[3]="Decision",[4]="uint8",[5]="Decision"},
    {[1]="positions",[2]="tdp.positions",[3]="Positions",[4]="uint16",[6]="bit 0: position 1",hex=true},
    {[1]="spread",[2]="tdp.spread",[3]="Spread",[4]="uint8",[5]="Spread",[6]="direction in which positions are counted"},
    {[1]="source",[2]="tdp.source",[3]="Source",[4]="uint8",[5]="RevealSource"},
    {[1]="how",[2]="tdp.how",[3]="How",[4]="uint8",[5]="Mishandling"},
    {[1]="by",[2]="tdp.by",[3]="By",[4]="uint8",[5]="SetBy",[6]="person or rule that set it"},
    {[1]="foul",[2]="tdp.foul",[3]="Foul",[4]="bool",[5]="foul",[6]="1: set against the rules, 0: not"},
    {[1]="low",[2]="tdp.low",[3]="Cards of the low or first hand",[4]="uint8",[6]="number of cards, from the first, in the low or first hand"},
    {[1]="proposition",[2]="tdp.proposition",[3]="Proposition",[4]="uint8",[6]="number of the spot's proposition in the game file"},
    {[1]="on.card",[2]="tdp.on.card",[3]="On",[4]="uint8",[5]="card",[6]="card code; suit 0: any suit, rank 0: any rank; 00h: no card"},
    {[1]="action",[2]="tdp.action",[3]="Action",[4]="uint8",[5]="PlayerAction",[6]="action of the player"},
    {[1]="manner",[2]="tdp.manner",[3]="Manner",[4]="uint8",[5]="ActionManner",[6]="manner, if it was not made in the ordinary way"},
    {[1]="pot",[2]="tdp.pot",[3]="Pot",[4]="uint8",[6]="1: the main pot, 2: the first side pot, and so on"},
    {[1]="up_to",[2]="tdp.up_to",[3]="Up to event",[4]="uint32",[6]="every event up to this one has arrived"},
    {[1]="lowest_major",[2]="tdp.lowest_major",[3]="Lowest major",[4]="uint8",[6]="oldest version that the host supports / oldest version that the device supports"},
    {[1]="lowest_minor",[2]="tdp.lowest_minor",[3]="Lowest minor",[4]="uint8"},
    {[1]="highest_major",[2]="tdp.highest_major",[3]="Highest major",[4]="uint8",[6]="newest version"},
    {[1]="highest_minor",[2]="tdp.highest_minor",[3]="Highest minor",[4]="uint8"},
    {[1]="host",[2]="tdp.host",[3]="Host",[4]="string",[6]="name of the program"},
    {[1]="device_class",[2]="tdp.device_class",[3]="Class of device",[4]="uint8",[5]="DeviceClass"},
    {[1]="capabilities",[2]="tdp.capabilities",[3]="Capabilities",[4]="uint32",hex=true},
    {[1]="capabilities.CARD_RECOGNITION",[2]="tdp.capabilities.card_recognition",[3]="Card recognition",[4]="bool",width=32,mask=1},
    {[1]="capabilities.TWO_DECKS",[2]="tdp.capabilities.two_decks",[3]="Two decks",[4]="bool",width=32,mask=2},
    {[1]="capabilities.COUNTS_PACKETS",[2]="tdp.capabilities.counts_packets",[3]="Counts packets",[4]="bool",width=32,mask=4},
    {[1]="capabilities.HOST_LAMP",[2]="tdp.capabilities.host_lamp",[3]="Host lamp",[4]="bool",width=32,mask=8},
    {[1]="capabilities.LAYOUT_READER",[2]="tdp.capabilities.layout_reader",[3]="Layout reader",[4]="bool",width=32,mask=16},
    {[1]="capabilities.BET_SENSORS",[2]="tdp.capabilities.bet_sensors",[3]="Bet sensors",[4]="bool",width=32,mask=32},
    {[1]="capabilities.METERS",[2]="tdp.capabilities.meters",[3]="Meters",[4]="bool",width=32,mask=64},
    {[1]="capabilities.VERIFY",[2]="tdp.capabilities.verify",[3]="Verify",[4]="bool",width=32,mask=128},
    {[1]="capabilities.SEALING",[2]="tdp.capabilities.sealing",[3]="Sealing",[4]="bool",width=32,mask=256},
    {[1]="capabilities.ATTESTATION",[2]="tdp.capabilities.attestation",[3]="Attestation",[4]="bool",width=32,mask=512},
    {[1]="event_depth",[2]="tdp.event_depth",[3]="Events it keeps",[4]="uint16",[6]="number of unacknowledged events it stores, at least 256"},
    {[1]="max_frame",[2]="tdp.max_frame",[3]="Longest frame",[4]="uint16",[6]="longest decoded frame it accepts"},
    {[1]="maker",[2]="tdp.maker",[3]="Maker",[4]="string",[6]="as printed on the device"},
    {[1]="model",[2]="tdp.model",[3]="Model",[4]="string",[6]="as printed on the device"},
    {[1]="serial",[2]="tdp.serial",[3]="Serial",[4]="string",[6]="as printed on the device"},
    {[1]="firmware",[2]="tdp.firmware",[3]="Firmware",[4]="string",[6]="its version"},
    {[1]="digest",[2]="tdp.digest",[3]="Firmware digest (SHA-256)",[4]="bytes",[6]="SHA-256 of the firmware image; zeros: not attested / over the nonce, then the image"},
    {[1]="first_missing",[2]="tdp.first_missing",[3]="First event missing",[4]="uint32",[6]="first event that is lost"},
    {[1]="first_kept",[2]="tdp.first_kept",[3]="First event kept",[4]="uint32",[6]="first event that can still be read; last + 1 when none"},
    {[1]="last",[2]="tdp.last",[3]="Last",[4]="uint32",[6]="newest event"},
    {[1]="total",[2]="tdp.total",[3]="Total",[4]="uint16",[6]="meters the device has"},
    {[1]="meters.list",[2]="tdp.meters.list",[3]="Meters",[4]="none",[6]="in a fixed order; a count wraps from FFFFFFFFh to 0"},
    {[1]="meters.count",[2]="tdp.meters.count",[3]="Count",[4]="uint8"},
    {[1]="meters.row",[2]="tdp.meters.row",[3]="Meter",[4]="none"},
    {[1]="meter.device",[2]="tdp.meter.device",[3]="Meter",[4]="uint8",[5]="DeviceMeter"},
    {[1]="component",[2]="tdp.component",[3]="Component",[4]="uint8",[5]="Component"},
    {[1]="algorithm",[2]="tdp.algorithm",[3]="Algorithm",[4]="uint8",[5]="Algorithm"},
    {[1]="ephemeral",[2]="tdp.ephemeral",[3]="Ephemeral",[4]="bytes",[6]="the host's X25519 key of this handshake / the device's X25519 key of this handshake"},
    {[1]="tag",[2]="tdp.tag",[3]="Tag",[4]="bytes",[6]="tag of the empty payload"},
    {[1]="static",[2]="tdp.static",[3]="Static",[4]="bytes",[6]="the device's own X25519 key, encrypted, with its tag / the host's own X25519 key, encrypted, with its tag"},
    {[1]="granted",[2]="tdp.granted",[3]="Granted",[4]="bytes",[6]="role (u8) and name of the host (text 16), encrypted, with their tag"},
    {[1]="key_id",[2]="tdp.key_id",[3]="Key id",[4]="bytes",[6]="first bytes of the SHA-256 of the host's own X25519 key"},
    {[1]="last_event",[2]="tdp.last_event",[3]="Newest event",[4]="uint32",[6]="number of the newest event"},
    {[1]="uptime_ms",[2]="tdp.uptime_ms",[3]="Time since start",[4]="uint32",[6]="milliseconds since the start"},
    {[1]="lamps",[2]="tdp.lamps",[3]="Lamps",[4]="uint8",hex=true},
    {[1]="lamps.RED",[2]="tdp.lamps.red",[3]="Red",[4]="bool",width=8,mask=1},
    {[1]="lamps.GREEN",[2]="tdp.lamps.green",[3]="Green",[4]="bool",width=8,mask=2},
    {[1]="door_open",[2]="tdp.door_open",[3]="Door open",[4]="bool",[5]="door_open",[6]="1 when open"},
    {[1]="packets",[2]="tdp.packets",[3]="Packets",[4]="uint8",[6]="packets dispensed this round; 0 once it is over"},
    {[1]="dispensed",[2]="tdp.dispensed",[3]="In the packets",[4]="uint16",[6]="cards in them"},
    {[1]="in_tray",[2]="tdp.in_tray",[3]="In the tray",[4]="uint8",[6]="cards in the tray, of a packet or of the remainder"},
    {[1]="faults.list",[2]="tdp.faults.list",[3]="Faults",[4]="none",[6]="active faults"},
    {[1]="faults.count",[2]="tdp.faults.count",[3]="Count",[4]="uint8"},
    {[1]="in_round",[2]="tdp.in_round",[3]="In this round",[4]="uint16",[6]="cards of these in the current round"},
    {[1]="cut_card_seen",[2]="tdp.cut_card_seen",[3]="Cut card seen",[4]="bool",[5]="cut_card_seen",[6]="1 once the cut card came out"},
    {[1]="sensors",[2]="tdp.sensors",[3]="Seats with a bet on the sensor",[4]="uint32",[6]="bit 0 set: seat 1 has a progressive bet on its sensor",hex=true},
    {[1]="status",[2]="tdp.status",[3]="Status",[4]="uint8",[5]="Status",[6]="accepted, done or refused"},
    {[1]="reason",[2]="tdp.reason",[3]="Reason",[4]="uint16",[5]="Reason",[6]="why it was refused / why the frame cannot be used"},
    {[1]="percent",[2]="tdp.percent",[3]="Percent",[4]="uint8",[6]="0 to 100"},
  }
TDP.answers = {[2]={name="Reply",says="{status}[, {reason}], state {state}",sender="device",fixed=4,fields={{name="status",label="Status",size=1,values="Status",shape="u",key="status"},{name="reason",label="Reason",size=2,values="Reason",shape="u",key="reason"},{name="state",label="State",size=1,by_class=true,shape="u",key="state"}}},[3]={name="Progress",says="{percent} percent, state {state}",sender="device",fixed=2,fields={{name="percent",label="Percent",size=1,unit="%",shape="u",key="percent"},{name="state",label="State",size=1,by_class=true,shape="u",key="state"}}},[6]={name="Nak",says="{reason}",fixed=2,fields={{name="reason",label="Reason",size=2,values="Reason",shape="u",key="reason"}}}}
TDP.messages = {
    [65568]={name="OpenSession",says="Open session {session} with version {major}.{minor}, role {role}",sender="host",fixed=7,fields={{name="session",label="Session",size=4,hex=true,shape="u",key="session"},{name="major",label="Major",size=1,shape="u",key="major"},{name="minor",label="Minor",size=1,shape="u",key="minor"},{name="role",label="Role",size=1,values="Role",shape="u",key="role"}}},
    [65569]={name="ReadEvents",says="Send the events of session {session} from {first} on",sender="host",fixed=8,fields={{name="session",label="Session",size=4,hex=true,shape="u",key="session"},{name="first",label="First",size=4,shape="u",key="first"}}},
    [65570]={name="ReportStatus",says="Report the status",sender="host",fixed=0,fields={}},
    [65571]={name="SelfTest",says="Run the self-test",sender="host",fixed=0,fields={}},
    [65572]={name="ReadMeters",says="Read meters, from number {first} on",sender="host",fixed=2,fields={{name="first",label="First",size=2,shape="u",key="first"}}},
    [65573]={name="Verify",says="Verify: measure {region} with nonce {nonce}",sender="host",fixed=17,fields={{name="nonce",label="Nonce",size=16,shape="bytes",key="nonce"},{name="region",label="Region",size=1,values="Region",shape="u",key="region"}}},
    [65824]={name="SelectGame",says="Select game {game}, packets of {packet_size}, {cards} cards",sender="host",fixed=36,fields={{name="packet_size",label="Cards of a packet",size=1,shape="u",key="packet_size"},{name="cards",label="Cards",size=2,shape="u",key="cards"},{name="jokers",label="Jokers",size=1,shape="u",key="jokers"},{name="game",label="Game",size=32,shape="text",key="game"}}},
    [65825]={name="Dispense",says="Bring the next packet",sender="host",fixed=0,fields={}},
    [65826]={name="Dump",says="Bring the remainder",sender="host",fixed=0,fields={}},
    [65827]={name="RaiseLamp",says="Light the red lamp, {fault}",sender="host",fixed=2,fields={{name="fault",label="Fault",size=2,values="Fault",shape="u",key="fault"}}},
    [65828]={name="ClearMisdeal",says="Clear the misdeal, {resolution}, badge {badge}",sender="host",fixed=5,fields={{name="badge",label="Badge",size=4,shape="u",key="badge"},{name="resolution",label="Resolution",size=1,values="Resolution",shape="u",key="resolution"}}},
    [65829]={name="SetLock",says="Make the device {locked}",sender="host",fixed=1,fields={{name="locked",label="Locked",size=1,values="locked",shape="u",key="locked"}}},
    [66080]={name="LockShoe",says="Make the shoe {locked}",sender="host",fixed=1,fields={{name="locked",label="Locked",size=1,values="locked",shape="u",key="locked"}}},
    [66081]={name="ClearShoeError",says="Clear {fault}, badge {badge}",sender="host",fixed=6,fields={{name="fault",label="Fault",size=2,values="Fault",shape="u",key="fault"},{name="badge",label="Badge",size=4,shape="u",key="badge"}}},
    [66082]={name="EndRound",says="The round is over",sender="host",fixed=0,fields={}},
    [66336]={name="SetSensorLight",says="Light of seat {seat} {lit}",sender="host",fixed=2,fields={{name="seat",label="Seat",size=1,shape="u",key="seat"},{name="lit",label="Lit",size=1,values="lit",shape="u",key="lit"}}},
    [66337]={name="ShowMeter",says="Show {cents} cents on meter {meter}",sender="host",fixed=9,fields={{name="meter",label="Meter",size=1,shape="u",key="meter"},{name="cents",label="Amount",size=8,unit="cents",shape="u",key="cents"}}},
    [66338]={name="ShowText",says="Show \"{text}\" to the dealer",sender="host",fixed=40,fields={{name="text",label="Text",size=40,shape="text",key="text"}}},
    [262192]={name="Booted",says="Started by {cause}, start number {boot_count}[, in the middle of a round: {mid_round}]",sender="device",fixed=18,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="boot_count",label="Boot count",size=4,shape="u",key="boot_count"},{name="previous_session",label="Previous session",size=4,hex=true,shape="u",key="previous_session"},{name="cause",label="Cause",size=1,values="BootCause",shape="u",key="cause"},{name="mid_round",label="In the middle of a round",size=1,values="mid_round",shape="u",key="mid_round"}}},
    [262193]={name="FaultRaised",says="Fault begins, {fault}[, at {place}]",sender="device",fixed=13,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="fault",label="Fault",size=2,values="Fault",shape="u",key="fault"},{name="place",label="Place",size=1,values="place",as_is=true,lists_codes=true,shape="u",key="place"},{name="value",label="Value",size=2,shape="u",key="value"}}},
    [262194]={name="FaultCleared",says="Fault is over, {fault}",sender="device",fixed=10,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="fault",label="Fault",size=2,values="Fault",shape="u",key="fault"}}},
    [262195]={name="DoorMoved",says="Door {open}",sender="device",fixed=9,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="open",label="Open",size=1,values="open",shape="u",key="open"}}},
    [262196]={name="StateChanged",says="State {previous} becomes {state}",sender="device",fixed=10,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="state",label="State",size=1,by_class=true,shape="u",key="state"},{name="previous",label="Previous state",size=1,by_class=true,shape="u",key="previous"}}},
    [262464]={name="GreenButton",says="Green button pressed",sender="device",fixed=8,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"}}},
    [262465]={name="GameSelected",says="Game {game} selected, packets of {packet_size}, {cards} cards",sender="device",fixed=44,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="packet_size",label="Cards of a packet",size=1,shape="u",key="packet_size"},{name="cards",label="Cards",size=2,shape="u",key="cards"},{name="jokers",label="Jokers",size=1,shape="u",key="jokers"},{name="game",label="Game",size=32,shape="text",key="game"}}},
    [262466]={name="DeckLoaded",says="Deck {deck} put in",sender="device",fixed=10,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="deck",label="Deck",size=1,shape="u",key="deck"},{name="back",label="Kind of back",size=1,shape="u",key="back"}}},
    [262467]={name="ShuffleStarted",says="Deck {deck} is being shuffled",sender="device",fixed=9,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="deck",label="Deck",size=1,shape="u",key="deck"}}},
    [262468]={name="DeckVerified",says="Deck {deck} counted, {counted} of {expected} cards",sender="device",fixed=13,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="deck",label="Deck",size=1,shape="u",key="deck"},{name="expected",label="Expected",size=2,unit="cards",shape="u",key="expected"},{name="counted",label="Counted",size=2,unit="cards",shape="u",key="counted"}}},
    [262469]={name="PacketDispensed",says="Packet {ordinal} in the tray, {counted} of {expected} cards[, {cards}]",sender="device",fixed=12,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="deck",label="Deck",size=1,shape="u",key="deck"},{name="ordinal",label="Ordinal",size=1,shape="u",key="ordinal"},{name="expected",label="Expected",size=1,unit="cards",shape="u",key="expected"},{name="counted",label="Counted",size=1,unit="cards",shape="u",key="counted"},{name="cards",label="Cards",size=1,values="card",as_is=true,lists_codes=true,shape="list",key="cards.list",item="card"}}},
    [262470]={name="PacketLifted",says="Packet {ordinal} lifted",sender="device",fixed=9,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="ordinal",label="Ordinal",size=1,shape="u",key="ordinal"}}},
    [262471]={name="RemainderDumped",says="Remainder in the tray, {counted} of {expected} cards",sender="device",fixed=13,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="deck",label="Deck",size=1,shape="u",key="deck"},{name="expected",label="Expected",size=2,unit="cards",shape="u",key="expected"},{name="counted",label="Counted",size=2,unit="cards",shape="u",key="counted"}}},
    [262472]={name="RemainderLifted",says="Remainder of deck {deck} lifted",sender="device",fixed=9,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="deck",label="Deck",size=1,shape="u",key="deck"}}},
    [262473]={name="CardRejected",says="Card {card} rejected, {fault}",sender="device",fixed=12,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="deck",label="Deck",size=1,shape="u",key="deck"},{name="card",label="Card",size=1,values="card",as_is=true,lists_codes=true,shape="u",key="card"},{name="fault",label="Fault",size=2,values="Fault",shape="u",key="fault"}}},
    [262474]={name="RedLamp",says="Red lamp {lit}, {fault}",sender="device",fixed=11,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="lit",label="Lit",size=1,values="lit",shape="u",key="lit"},{name="fault",label="Fault",size=2,values="Fault",shape="u",key="fault"}}},
    [262475]={name="Misdeal",says="Misdeal, {fault}, {loaded} cards loaded, remainder {remainder}, rejected {rejected}, packets {packets}",sender="device",fixed=16,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="deck",label="Deck",size=1,shape="u",key="deck"},{name="fault",label="Fault",size=2,values="Fault",shape="u",key="fault"},{name="loaded",label="Loaded",size=2,unit="cards",shape="u",key="loaded"},{name="remainder",label="Remainder",size=2,values="remainder",unit="cards",shape="u",key="remainder"},{name="rejected",label="Rejected",size=1,unit="cards",shape="u",key="rejected"},{name="packets",label="Packets",size=2,shape="list",key="packets.list",parts={{name="expected",label="Expected",size=1,unit="cards",shape="u",key="expected"},{name="counted",label="Counted",size=1,unit="cards",shape="u",key="counted"}}}}},
    [262476]={name="MisdealCleared",says="Misdeal cleared, {fault}, {resolution}, badge {badge}",sender="device",fixed=15,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="fault",label="Fault",size=2,values="Fault",shape="u",key="fault"},{name="badge",label="Badge",size=4,shape="u",key="badge"},{name="resolution",label="Resolution",size=1,values="Resolution",shape="u",key="resolution"}}},
    [262477]={name="DeckRemoved",says="Deck {deck} taken out",sender="device",fixed=9,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="deck",label="Deck",size=1,shape="u",key="deck"}}},
    [262720]={name="ShoeLoaded",says="Shoe {shoe} filled, {cards} cards of {decks} decks",sender="device",fixed=15,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="shoe",label="Shoe",size=4,shape="u",key="shoe"},{name="decks",label="Decks",size=1,shape="u",key="decks"},{name="cards",label="Cards",size=2,shape="u",key="cards"}}},
    [262721]={name="BurnStarted",says="The next {count} cards are burned",sender="device",fixed=9,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="count",label="Count",size=1,shape="u",key="count"}}},
    [262722]={name="CardDrawn",says="Card {ordinal} drawn, {card}[, for {place}]",sender="device",fixed=14,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="ordinal",label="Ordinal",size=2,shape="u",key="ordinal"},{name="card",label="Card",size=1,values="card",as_is=true,lists_codes=true,shape="u",key="card"},{name="place",label="Place",size=1,values="place",as_is=true,lists_codes=true,shape="u",key="place"},{name="confidence",label="Confidence",size=1,unit="%",shape="u",key="confidence"},{name="reader",label="Reader",size=1,flags="Reader",shape="u",key="reader"}}},
    [262723]={name="CardUnreadable",says="Card {ordinal} drawn and not read[, for {place}]",sender="device",fixed=12,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="ordinal",label="Ordinal",size=2,shape="u",key="ordinal"},{name="place",label="Place",size=1,values="place",as_is=true,lists_codes=true,shape="u",key="place"},{name="reader",label="Reader",size=1,flags="Reader",shape="u",key="reader"}}},
    [262724]={name="CutCardSeen",says="Cut card after {drawn} cards",sender="device",fixed=10,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="drawn",label="Drawn",size=2,shape="u",key="drawn"}}},
    [262725]={name="Overdraw",says="Card {ordinal} drawn that the game does not take",sender="device",fixed=11,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="ordinal",label="Ordinal",size=2,shape="u",key="ordinal"},{name="halted",label="Halted",size=1,values="halted",shape="u",key="halted"}}},
    [262726]={name="PushedBack",says="Card {ordinal} pushed back",sender="device",fixed=11,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="ordinal",label="Ordinal",size=2,shape="u",key="ordinal"},{name="halted",label="Halted",size=1,values="halted",shape="u",key="halted"}}},
    [262727]={name="PulledBack",says="The card after {ordinal} pulled back",sender="device",fixed=11,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="ordinal",label="Ordinal",size=2,shape="u",key="ordinal"},{name="halted",label="Halted",size=1,values="halted",shape="u",key="halted"}}},
    [262728]={name="CardDrawnOutside",says="Card {ordinal} drawn outside a game, {card}, {mode}",sender="device",fixed=12,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="ordinal",label="Ordinal",size=2,shape="u",key="ordinal"},{name="card",label="Card",size=1,values="card",as_is=true,lists_codes=true,shape="u",key="card"},{name="mode",label="Mode",size=1,values="ShoeMode",shape="u",key="mode"}}},
    [262729]={name="ShoeError",says="Trouble begins, {fault}",sender="device",fixed=11,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="fault",label="Fault",size=2,values="Fault",shape="u",key="fault"},{name="halted",label="Halted",size=1,values="halted",shape="u",key="halted"}}},
    [262730]={name="ShoeErrorCleared",says="Trouble is over, {fault}, badge {badge}",sender="device",fixed=14,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="fault",label="Fault",size=2,values="Fault",shape="u",key="fault"},{name="badge",label="Badge",size=4,shape="u",key="badge"}}},
    [262731]={name="ShoeLockMoved",says="Shoe {locked}",sender="device",fixed=9,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="locked",label="Locked",size=1,values="locked",shape="u",key="locked"}}},
    [262732]={name="ShoeEnded",says="Shoe {shoe} is over after {drawn} cards",sender="device",fixed=14,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="shoe",label="Shoe",size=4,shape="u",key="shoe"},{name="drawn",label="Drawn",size=2,shape="u",key="drawn"}}},
    [262733]={name="CardReportedAgain",says="Card {ordinal} said again, {card}",sender="device",fixed=12,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="ordinal",label="Ordinal",size=2,shape="u",key="ordinal"},{name="card",label="Card",size=1,values="card",as_is=true,lists_codes=true,shape="u",key="card"},{name="place",label="Place",size=1,values="place",as_is=true,lists_codes=true,shape="u",key="place"}}},
    [262976]={name="GameStarted",says="Game {round} started, bets are closed",sender="device",fixed=12,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="round",label="Round",size=4,shape="u",key="round"}}},
    [262977]={name="GameEnded",says="Game {round} ended",sender="device",fixed=12,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="round",label="Round",size=4,shape="u",key="round"}}},
    [262978]={name="SensorChanged",says="Bet sensor of seat {seat} {on}",sender="device",fixed=10,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="seat",label="Seat",size=1,shape="u",key="seat"},{name="on",label="On",size=1,values="on",shape="u",key="on"}}},
    [262979]={name="HandButton",says="Hand button {hand} {on}",sender="device",fixed=10,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="hand",label="Hand",size=1,shape="u",key="hand"},{name="on",label="On",size=1,values="on",shape="u",key="on"}}},
    [262980]={name="SpotSelected",says="Seat {seat} selected",sender="device",fixed=9,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="seat",label="Seat",size=1,shape="u",key="seat"}}},
    [262981]={name="BadgeSwiped",says="Badge {badge} swiped, {level}",sender="device",fixed=13,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="badge",label="Badge",size=4,shape="u",key="badge"},{name="level",label="Level",size=1,values="BadgeLevel",shape="u",key="level"}}},
    [262982]={name="Confirmed",says="Confirm pressed",sender="device",fixed=8,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"}}},
    [262983]={name="WagerPlaced",says="Seat {seat} has {cents} cents on spot {bet}",sender="device",fixed=14,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="seat",label="Seat",size=1,shape="u",key="seat"},{name="bet",label="Betting spot",size=1,shape="u",key="bet"},{name="cents",label="Amount",size=4,unit="cents",shape="u",key="cents"}}},
    [262984]={name="DecisionMade",says="Seat {seat} chose {decision}",sender="device",fixed=10,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="seat",label="Seat",size=1,shape="u",key="seat"},{name="decision",label="Decision",size=1,values="Decision",shape="u",key="decision"}}},
    [262985]={name="BurnConfirmed",says="Cards burned from the packet of {place}, positions {positions}, counted {spread}",sender="device",fixed=12,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="place",label="Place",size=1,values="place",as_is=true,lists_codes=true,shape="u",key="place"},{name="positions",label="Positions",size=2,hex=true,bits=true,shape="u",key="positions"},{name="spread",label="Spread",size=1,values="Spread",shape="u",key="spread"}}},
    [262986]={name="HandRevealed",says="Hand of {place}, {cards}, by {source}",sender="device",fixed=10,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="place",label="Place",size=1,values="place",as_is=true,lists_codes=true,shape="u",key="place"},{name="source",label="Source",size=1,values="RevealSource",shape="u",key="source"},{name="cards",label="Cards",size=1,values="card",as_is=true,lists_codes=true,shape="list",key="cards.list",item="card"}}},
    [262987]={name="CardsCounted",says="{counted} cards counted at {place}",sender="device",fixed=10,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="place",label="Place",size=1,values="place",as_is=true,lists_codes=true,shape="u",key="place"},{name="counted",label="Counted",size=1,unit="cards",shape="u",key="counted"}}},
    [262988]={name="MisdealCalled",says="Misdeal called with badge {badge}, {fault}",sender="device",fixed=14,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="badge",label="Badge",size=4,shape="u",key="badge"},{name="fault",label="Fault",size=2,values="Fault",shape="u",key="fault"}}},
    [262989]={name="CardMishandled",says="Card {card} at {place}: {how}",sender="device",fixed=11,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="place",label="Place",size=1,values="place",as_is=true,lists_codes=true,shape="u",key="place"},{name="how",label="How",size=1,values="Mishandling",shape="u",key="how"},{name="card",label="Card",size=1,values="card",as_is=true,lists_codes=true,shape="u",key="card"}}},
    [262990]={name="HandSet",says="Hand of {place} set by {by}, {cards}, the first {low} low",sender="device",fixed=12,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="place",label="Place",size=1,values="place",as_is=true,lists_codes=true,shape="u",key="place"},{name="by",label="By",size=1,values="SetBy",shape="u",key="by"},{name="foul",label="Foul",size=1,values="foul",shape="u",key="foul"},{name="low",label="Cards of the low or first hand",size=1,shape="u",key="low"},{name="cards",label="Cards",size=1,values="card",as_is=true,lists_codes=true,shape="list",key="cards.list",item="card"}}},
    [262991]={name="CardsDiscarded",says="Cards laid away from {place}[, {cards}]",sender="device",fixed=9,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="place",label="Place",size=1,values="place",as_is=true,lists_codes=true,shape="u",key="place"},{name="cards",label="Cards",size=1,values="card",as_is=true,lists_codes=true,shape="list",key="cards.list",item="card"}}},
    [262992]={name="NumberDrawn",says="Number {drawn} drawn",sender="device",fixed=9,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="drawn",label="Drawn",size=1,shape="u",key="drawn"}}},
    [262993]={name="WagerOn",says="Seat {seat} has {cents} cents on {on}, spot {bet}, proposition {proposition}",sender="device",fixed=16,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="seat",label="Seat",size=1,shape="u",key="seat"},{name="bet",label="Betting spot",size=1,shape="u",key="bet"},{name="proposition",label="Proposition",size=1,shape="u",key="proposition"},{name="on",label="On",size=1,values="card",as_is=true,lists_codes=true,shape="u",key="on.card"},{name="cents",label="Amount",size=4,unit="cents",shape="u",key="cents"}}},
    [262994]={name="HandCorrected",says="Hand of {place} corrected to {cards}, badge {badge}",sender="device",fixed=14,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="place",label="Place",size=1,values="place",as_is=true,lists_codes=true,shape="u",key="place"},{name="badge",label="Badge",size=4,shape="u",key="badge"},{name="level",label="Level",size=1,values="BadgeLevel",shape="u",key="level"},{name="cards",label="Cards",size=1,values="card",as_is=true,lists_codes=true,shape="list",key="cards.list",item="card"}}},
    [262995]={name="StakeShown",says="Seat {seat} has a stake of {cents} cents",sender="device",fixed=13,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="seat",label="Seat",size=1,shape="u",key="seat"},{name="cents",label="Amount",size=4,unit="cents",shape="u",key="cents"}}},
    [262996]={name="PlayerActed",says="Seat {seat}: {action}, {cents} cents lie before it[, {manner}]",sender="device",fixed=15,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="seat",label="Seat",size=1,shape="u",key="seat"},{name="action",label="Action",size=1,values="PlayerAction",shape="u",key="action"},{name="manner",label="Manner",size=1,values="ActionManner",shape="u",key="manner"},{name="cents",label="Amount",size=4,unit="cents",shape="u",key="cents"}}},
    [262997]={name="PotTaken",says="Seat {seat} takes {cents} cents of pot {pot}",sender="device",fixed=14,fields={{name="number",label="Event number",size=4,shape="u",key="number"},{name="device_ms",label="Device clock",size=4,unit="ms",shape="u",key="device_ms"},{name="pot",label="Pot",size=1,shape="u",key="pot"},{name="seat",label="Seat",size=1,shape="u",key="seat"},{name="cents",label="Amount",size=4,unit="cents",shape="u",key="cents"}}},
    [327685]={name="Ack",says="Acknowledged, events up to {up_to} have arrived",sender="host",fixed=8,fields={{name="session",label="Session",size=4,hex=true,shape="u",key="session"},{name="up_to",label="Up to event",size=4,shape="u",key="up_to"}}},
    [458753]={name="Hello",says="Hello from {host}, which speaks versions {lowest_major}.{lowest_minor} to {highest_major}.{highest_minor}",sender="host",fixed=20,fields={{name="lowest_major",label="Lowest major",size=1,shape="u",key="lowest_major"},{name="lowest_minor",label="Lowest minor",size=1,shape="u",key="lowest_minor"},{name="highest_major",label="Highest major",size=1,shape="u",key="highest_major"},{name="highest_minor",label="Highest minor",size=1,shape="u",key="highest_minor"},{name="host",label="Host",size=16,shape="text",key="host"}}},
    [458754]={name="HelloReply",says="Hello reply from a {device_class}: {maker} {model}, serial number {serial}, firmware {firmware}, session {session}",sender="device",fixed=117,fields={{name="session",label="Session",size=4,hex=true,shape="u",key="session"},{name="lowest_major",label="Lowest major",size=1,shape="u",key="lowest_major"},{name="lowest_minor",label="Lowest minor",size=1,shape="u",key="lowest_minor"},{name="highest_major",label="Highest major",size=1,shape="u",key="highest_major"},{name="highest_minor",label="Highest minor",size=1,shape="u",key="highest_minor"},{name="device_class",label="Class of device",size=1,values="DeviceClass",shape="u",key="device_class"},{name="capabilities",label="Capabilities",size=4,flags="Capability",shape="u",key="capabilities"},{name="boot_count",label="Boot count",size=4,shape="u",key="boot_count"},{name="event_depth",label="Events it keeps",size=2,unit="events",shape="u",key="event_depth"},{name="max_frame",label="Longest frame",size=2,unit="bytes",shape="u",key="max_frame"},{name="maker",label="Maker",size=16,shape="text",key="maker"},{name="model",label="Model",size=16,shape="text",key="model"},{name="serial",label="Serial",size=16,shape="text",key="serial"},{name="firmware",label="Firmware",size=16,shape="text",key="firmware"},{name="digest",label="Firmware digest (SHA-256)",size=32,shape="bytes",key="digest"}}},
    [458755]={name="Heartbeat",says="Heartbeat, the host is there",sender="host",fixed=4,fields={{name="session",label="Session",size=4,hex=true,shape="u",key="session"}}},
    [458756]={name="Gap",says="Gap, events from {first_missing} to before {first_kept} are gone; the newest is {last}",sender="device",fixed=16,fields={{name="session",label="Session",size=4,hex=true,shape="u",key="session"},{name="first_missing",label="First event missing",size=4,shape="u",key="first_missing"},{name="first_kept",label="First event kept",size=4,shape="u",key="first_kept"},{name="last",label="Last",size=4,shape="u",key="last"}}},
    [458758]={name="Meters",says="Meters, of {total} those from number {first} on",sender="device",fixed=8,fields={{name="session",label="Session",size=4,hex=true,shape="u",key="session"},{name="total",label="Total",size=2,shape="u",key="total"},{name="first",label="First",size=2,shape="u",key="first"},{name="meters",label="Meters",size=6,shape="list",key="meters.list",parts={{name="meter",label="Meter",size=1,values="DeviceMeter",shape="u",key="meter.device"},{name="component",label="Component",size=1,values="Component",shape="u",key="component"},{name="count",label="Count",size=4,shape="u",key="count"}}}}},
    [458759]={name="Measured",says="Measured {region} by {algorithm}: {digest}",sender="device",fixed=54,fields={{name="session",label="Session",size=4,hex=true,shape="u",key="session"},{name="nonce",label="Nonce",size=16,shape="bytes",key="nonce"},{name="region",label="Region",size=1,values="Region",shape="u",key="region"},{name="algorithm",label="Algorithm",size=1,values="Algorithm",shape="u",key="algorithm"},{name="digest",label="Firmware digest (SHA-256)",size=32,shape="bytes",key="digest"}}},
    [458760]={name="PairCall",says="Call to pair with a code",sender="host",fixed=48,fields={{name="ephemeral",label="Ephemeral",size=32,shape="bytes",key="ephemeral"},{name="tag",label="Tag",size=16,shape="bytes",key="tag"}}},
    [458761]={name="PairAnswer",says="Answer to the call to pair",sender="device",fixed=96,fields={{name="ephemeral",label="Ephemeral",size=32,shape="bytes",key="ephemeral"},{name="static",label="Static",size=48,shape="bytes",key="static"},{name="tag",label="Tag",size=16,shape="bytes",key="tag"}}},
    [458762]={name="PairProof",says="Proof of the code",sender="host",fixed=81,fields={{name="static",label="Static",size=48,shape="bytes",key="static"},{name="granted",label="Granted",size=33,shape="bytes",key="granted"}}},
    [458763]={name="SealCall",says="Call to seal the line, by the host of key {key_id}",sender="host",fixed=56,fields={{name="key_id",label="Key id",size=8,shape="bytes",key="key_id"},{name="ephemeral",label="Ephemeral",size=32,shape="bytes",key="ephemeral"},{name="tag",label="Tag",size=16,shape="bytes",key="tag"}}},
    [458764]={name="SealAnswer",says="Answer to the call to seal the line",sender="device",fixed=48,fields={{name="ephemeral",label="Ephemeral",size=32,shape="bytes",key="ephemeral"},{name="tag",label="Tag",size=16,shape="bytes",key="tag"}}},
    [459024]={name="ShufflerStatus",says="Status of the shuffler: {state}, cards loaded {loaded}, packets dealt {packets}, cards in them {dispensed}[, lamps {lamps}][, active faults {faults}]",sender="device",fixed=25,fields={{name="session",label="Session",size=4,hex=true,shape="u",key="session"},{name="last_event",label="Newest event",size=4,shape="u",key="last_event"},{name="uptime_ms",label="Time since start",size=4,unit="ms",shape="u",key="uptime_ms"},{name="state",label="State",size=1,values="ShufflerState",by_class=true,shape="u",key="state"},{name="lamps",label="Lamps",size=1,flags="Lamp",shape="u",key="lamps"},{name="door_open",label="Door open",size=1,values="door_open",shape="u",key="door_open"},{name="deck",label="Deck",size=1,shape="u",key="deck"},{name="loaded",label="Loaded",size=2,unit="cards",shape="u",key="loaded"},{name="packets",label="Packets",size=1,shape="u",key="packets"},{name="dispensed",label="In the packets",size=2,unit="cards",shape="u",key="dispensed"},{name="in_tray",label="In the tray",size=1,unit="cards",shape="u",key="in_tray"},{name="remainder",label="Remainder",size=2,values="remainder",unit="cards",shape="u",key="remainder"},{name="rejected",label="Rejected",size=1,unit="cards",shape="u",key="rejected"},{name="faults",label="Faults",size=2,values="Fault",shape="list",key="faults.list",item="fault"}}},
    [459280]={name="ShoeStatus",says="Status of the shoe: {state}, {drawn} of {loaded} cards drawn[, active faults {faults}]",sender="device",fixed=27,fields={{name="session",label="Session",size=4,hex=true,shape="u",key="session"},{name="last_event",label="Newest event",size=4,shape="u",key="last_event"},{name="uptime_ms",label="Time since start",size=4,unit="ms",shape="u",key="uptime_ms"},{name="state",label="State",size=1,values="ShoeState",by_class=true,shape="u",key="state"},{name="locked",label="Locked",size=1,values="locked",shape="u",key="locked"},{name="halted",label="Halted",size=1,values="halted",shape="u",key="halted"},{name="shoe",label="Shoe",size=4,shape="u",key="shoe"},{name="decks",label="Decks",size=1,shape="u",key="decks"},{name="loaded",label="Loaded",size=2,unit="cards",shape="u",key="loaded"},{name="drawn",label="Drawn",size=2,shape="u",key="drawn"},{name="in_round",label="In this round",size=2,unit="cards",shape="u",key="in_round"},{name="cut_card_seen",label="Cut card seen",size=1,values="cut_card_seen",shape="u",key="cut_card_seen"},{name="faults",label="Faults",size=2,values="Fault",shape="list",key="faults.list",item="fault"}}},
    [459536]={name="ControllerStatus",says="Status of the table controller: {state}, round {round}[, active faults {faults}]",sender="device",fixed=21,fields={{name="session",label="Session",size=4,hex=true,shape="u",key="session"},{name="last_event",label="Newest event",size=4,shape="u",key="last_event"},{name="uptime_ms",label="Time since start",size=4,unit="ms",shape="u",key="uptime_ms"},{name="state",label="State",size=1,values="ControllerState",by_class=true,shape="u",key="state"},{name="round",label="Round",size=4,shape="u",key="round"},{name="sensors",label="Seats with a bet on the sensor",size=4,hex=true,bits=true,shape="u",key="sensors"},{name="faults",label="Faults",size=2,values="Fault",shape="list",key="faults.list",item="fault"}}},
  }

local ANGEL = {
  COMMAND = 2,
  REPORT = 5,
  ACK = 6,
  NAK = 21,
  max_wire = 64,
  partial_s = 0.5,
  kinds = {[2]="COMMAND",[5]="REPORT",[6]="ACK",[21]="NAK"},
  reasons = {[1]="LINE_ERROR",[2]="CHECK_ERROR",[3]="NO_ETX",[17]="BAD_LENGTH",[18]="BAD_ADDRESS",[19]="BAD_COMMAND",[20]="BAD_TYPE",[33]="BUSY",[34]="WRITING",[255]="OTHER"},
  destinations = {[0]="PLAYER",[1]="BANKER",[2]="BURN",[4]="FIRST_CARD",[5]="BURN_COUNT"},
  modes = {[0]="LOCK",[1]="ERROR",[2]="SETTING"},
  winners = {[1]="PLAYER",[2]="TIE",[4]="BANKER",[7]="FORCED_END"},
  troubles = {[1]="CANNOT_READ",[2]="OVERDRAW",[3]="WRONG_BUTTON",[4]="PUSHED_BACK",[5]="PULLED_BACK",[6]="CODE_WRONG",[7]="DRAW_TOO_SLOW"},
  letters = {S={name="Started",read="bare",size=0},P={name="StandingBy",read="bare",size=0},D={name="CardDrawn",read="card",size=2},R={name="CardReportedAgain",read="card",size=2},d={name="CardDrawnOutside",read="outside",size=2},C={name="CutCardDrawn",read="bare",size=0},G={name="GameResult",read="result",size=1},E={name="ErrorRaised",read="error",size=1},e={name="ErrorCleared",read="cleared",size=1},L={name="LockMoved",read="lock",size=1},M={name="SettingChanged",read="setting",size=6}},
  names = {
    Started="Started",
    StandingBy="Standing by",
    CardDrawn="Card drawn",
    CardReportedAgain="Card reported again",
    CardDrawnOutside="Card drawn outside",
    CutCardDrawn="Cut card drawn",
    GameResult="Game result",
    ErrorRaised="Error raised",
    ErrorCleared="Error cleared",
    LockMoved="Lock moved",
    SettingChanged="Setting changed",
    UnknownReport="Unknown report",
    Lock="Lock",
    ClearError="Clear error",
    AskGame="Ask game",
    Acknowledged="Acknowledged",
    Rejected="Rejected",
    Text="Text",
  },
}

local BEE = {
  mode_max = 32,
  item_max = 80,
  partial_s = 0.5,
  names = {CardDrawn="Card drawn",CardNotRead="Card not read",Alarm="Alarm",Warned="Warned",UnknownItem="Unknown item"},
}

-- Arithmetic on 32 bits. Wireshark's Lua was 5.1 and 5.2 for long and is 5.4 now: each brings it in another way.
local bits = bit32 or bit
if not bits then
  local make = load([[return { bxor = function(a, b) return a ~ b end, band = function(a, b) return a & b end,
    rshift = function(a, n) return (a & 0xFFFFFFFF) >> n end }]])
  bits = make()
end
local band, bxor, rshift = bits.band, bits.bxor, bits.rshift
local format, concat = string.format, table.concat

local CRC = {}
for value = 0, 255 do
  local sum = value
  for _ = 1, 8 do
    sum = band(sum, 1) == 1 and bxor(rshift(sum, 1), 0xEDB88320) or rshift(sum, 1)
  end
  CRC[value] = sum
end

-- CRC-32 as in zlib.
local function crc32(text)
  local sum = 0xFFFFFFFF
  for at = 1, #text do
    sum = bxor(rshift(sum, 8), CRC[band(bxor(sum, text:byte(at)), 255)])
  end
  return bxor(sum, 0xFFFFFFFF) % 4294967296
end

local function hex(text)
  return (text:gsub(".", function(c) return format("%02x", c:byte()) end))
end

local function number_le(text, at, size)
  local value = 0
  for i = at + size - 1, at, -1 do
    value = value * 256 + text:byte(i)
  end
  return value
end

-- Seconds as Wireshark has a time: to the nanosecond, without what a fraction of two adds.
local function time_of(seconds)
  local ns = math.floor(seconds * 1e9 + 0.5)
  local whole = ns < 0 and math.ceil(ns / 1e9) or math.floor(ns / 1e9)
  return NSTime.new(whole, math.floor(ns - whole * 1e9))
end

-- `PACKET_WAIT` as words.
local function words(name)
  return (name:lower():gsub("_", " "))
end

local function piece(at, bytes, reason, frame)
  return { at = at, len = #bytes, bytes = bytes, reason = reason, frame = frame }
end

-- What a table holds, by its keys' order: Lua's own is another at every start.
local function in_order(of)
  local names, found = {}, {}
  for name in pairs(of) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do found[#found + 1] = of[name] end
  return found
end

-- ChaCha20-Poly1305 (RFC 8439), only the way back: Wireshark's Lua has no ciphers. `open_aead` gives nil for a wrong tag.
local open_aead
do
  local rol = bits.lrotate or bits.rol or load("return function(a, n) a = a & 0xFFFFFFFF return a << n | a >> (32 - n) end")()
  local WORD = 4294967296

  local function block(key, counter, nonce)
    local start = { 0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, [13] = counter }
    for i = 0, 7 do start[5 + i] = number_le(key, 1 + 4 * i, 4) end
    for i = 0, 2 do start[14 + i] = number_le(nonce, 1 + 4 * i, 4) end
    local x = {}
    for i = 1, 16 do x[i] = start[i] end
    local function quarter(a, b, c, d)
      local A, B, C, D = x[a], x[b], x[c], x[d]
      A = (A + B) % WORD D = rol(bxor(D, A), 16)
      C = (C + D) % WORD B = rol(bxor(B, C), 12)
      A = (A + B) % WORD D = rol(bxor(D, A), 8)
      C = (C + D) % WORD B = rol(bxor(B, C), 7)
      x[a], x[b], x[c], x[d] = A, B, C, D
    end
    for _ = 1, 10 do
      for i = 1, 4 do quarter(i, i + 4, i + 8, i + 12) end
      for i = 0, 3 do quarter(1 + i, 5 + (i + 1) % 4, 9 + (i + 2) % 4, 13 + (i + 3) % 4) end
    end
    local out = {}
    for i = 1, 16 do
      local word = (x[i] + start[i]) % WORD
      out[i] = string.char(word % 256, math.floor(word / 256) % 256, math.floor(word / 65536) % 256, math.floor(word / 16777216))
    end
    return concat(out)
  end

  local function xored(text, key, nonce)
    local out = {}
    for at = 1, #text, 64 do
      local pad = block(key, 1 + math.floor(at / 64), nonce)
      for i = at, math.min(at + 63, #text) do out[i] = string.char(bxor(text:byte(i), pad:byte(i - at + 1))) end
    end
    return concat(out)
  end

  -- Numbers of 130 bits as 17 of one byte: no product comes near what a double holds exactly.
  local function carry(limbs, from)
    local sum = 0
    for i = 0, 15 do
      sum = sum + from[i]
      limbs[i], sum = sum % 256, math.floor(sum / 256)
    end
    return sum + from[16]
  end

  local function poly1305(text, key)
    local r, h = { [16] = 0 }, {}
    for i = 0, 15 do r[i] = key:byte(i + 1) end
    for i = 3, 15, 4 do r[i] = band(r[i], 15) end
    for i = 4, 12, 4 do r[i] = band(r[i], 252) end
    for i = 0, 16 do h[i] = 0 end
    for at = 1, #text, 16 do
      local count = math.min(16, #text - at + 1)
      for i = 0, count - 1 do h[i] = h[i] + text:byte(at + i) end
      h[count] = h[count] + 1
      local x = {}
      for i = 0, 16 do
        local sum = 0
        for j = 0, i do sum = sum + h[j] * r[i - j] end
        for j = i + 1, 16 do sum = sum + 320 * h[j] * r[i + 17 - j] end
        x[i] = sum
      end
      local over = carry(h, x)
      h[16], h[0] = over % 4, h[0] + 5 * math.floor(over / 4)
      h[16] = carry(h, h)
    end
    local less = { [0] = h[0] + 5 }
    for i = 1, 16 do less[i] = h[i] end
    less[16] = carry(less, less)
    if less[16] >= 4 then h = less end
    for i = 0, 15 do h[i] = h[i] + key:byte(17 + i) end
    carry(h, h)
    local out = {}
    for i = 0, 15 do out[i + 1] = string.char(h[i]) end
    return concat(out)
  end

  local function padded(text) return text .. ("\0"):rep(-#text % 16) end
  local function length_le(text) return string.char(#text % 256, math.floor(#text / 256)) .. ("\0"):rep(6) end

  function open_aead(key, nonce, data, text)
    local body, tag = text:sub(1, -17), text:sub(-16)
    local signed = padded(data) .. padded(body) .. length_le(data) .. length_le(body)
    if poly1305(signed, block(key, 0, nonce)) ~= tag then return nil end
    return xored(body, key, nonce)
  end
end

-- COBS undone; nil for bytes that are none.
local function uncobs(text)
  local parts, at, size = {}, 1, #text
  while at <= size do
    local group = text:byte(at)
    if at + group - 1 > size then return nil end
    parts[#parts + 1] = text:sub(at + 1, at + group - 1)
    at = at + group
    if group < 255 and at <= size then parts[#parts + 1] = "\0" end
  end
  return concat(parts)
end

-- The first rule that a piece which is no frame breaks; nil for a frame. With what it says, if only the check is bad.
local function judge(part)
  if #part > TDP.max_encoded then return "too long" end
  local decoded = uncobs(part)
  if not decoded then return "not COBS" end
  if #decoded > TDP.max_frame then return "too long" end
  if #decoded < TDP.min_frame then return "too short" end
  if crc32(decoded) ~= TDP.residue then return "bad check", decoded end
  return nil, decoded
end

-- Cut what arrived at the zeros. `stream` keeps what is unfinished; a piece's `at` counts from the packet's first byte.
local function cut_tdp(stream, chunk)
  local found, base = {}, 0
  if stream.overlong then
    local last = chunk:find("\0", 1, true)
    base = last or #chunk
    if base > 0 then found[1] = piece(0, chunk:sub(1, base), "too long") end
    stream.overlong = not last
    chunk = chunk:sub(base + 1)
  end
  local data, shift = stream.held .. chunk, base - #stream.held - 1
  local at, opened = 1, 0
  while true do
    local zero = data:find("\0", at, true)
    if not zero then break end
    if zero > at then
      local reason, decoded = judge(data:sub(at, zero - 1))
      found[#found + 1] = piece(at - opened + shift, data:sub(at - opened, zero), reason, decoded)
      opened = 0
    else
      local last = found[#found]
      if opened == 1 and last and last.reason == "idle delimiter" and last.at + last.len == at - 1 + shift then
        last.len, last.bytes = last.len + 1, last.bytes .. "\0"
      elseif opened == 1 then
        found[#found + 1] = piece(at - 1 + shift, "\0", "idle delimiter")
      end
      opened = 1
    end
    at = zero + 1
  end
  stream.held = data:sub(at - opened)
  if #data - at + 1 > TDP.max_encoded then
    found[#found + 1] = piece(at - opened + shift, stream.held, "too long")
    stream.held, stream.overlong = "", true
  end
  return found
end

local function give_up_tdp(held)
  return held == "\0" and "idle delimiter" or "cut off"
end

-- Dialects whose frames are found by looking at the bytes in order: `one(data, at)` gives the length of what begins
-- there and why it is noise (or what the frame says), or nothing when it needs more bytes.
local function cutter(one)
  return function(stream, chunk)
    local data, shift = stream.held .. chunk, -#stream.held - 1
    local found, at = {}, 1
    while at <= #data do
      local size, reason, frame = one(data, at)
      if not size then break end
      found[#found + 1] = piece(at + shift, data:sub(at, at + size - 1), reason, frame)
      at = at + size
    end
    stream.held = data:sub(at)
    return found
  end
end

local function xor_of(text, from)
  for at = 1, #text do from = bxor(from, text:byte(at)) end
  return format("%02X", from)
end

local function one_angel_eye(data, at)
  local start, size = data:byte(at), #data
  if start == ANGEL.ACK then return 1, nil, { start = start, body = "", at = 1 } end
  if start == ANGEL.NAK then
    if at == size then return nil end
    if ANGEL.reasons[data:byte(at + 1)] then return 2, nil, { start = start, body = data:sub(at + 1, at + 1) } end
    return 1, "unknown reason"
  end
  if start ~= ANGEL.COMMAND and start ~= ANGEL.REPORT then
    return #data:match("^[^\2\5\6\21]+", at), "between frames"
  end
  local limit = math.min(size, at + ANGEL.max_wire - 3)
  local control = data:find("[%z\1-\31]", at + 1)
  if not control or control > limit then
    if size - at + 1 >= ANGEL.max_wire - 2 then return limit - at + 1, "too long" end
    return nil
  end
  if data:byte(control) ~= 3 then return control - at, "cut off by the next control byte" end
  local check = data:sub(control + 1, control + 2)
  for index = 1, #check do
    if not check:sub(index, index):find("[0-9A-F]") then return control - at + index, "bad check" end
  end
  if #check < 2 then return nil end
  local body, length = data:sub(at + 1, control - 1), control + 3 - at
  local outside = xor_of(body, 3)
  if check ~= outside and not (start == ANGEL.COMMAND and check == xor_of(body, bxor(3, start))) then
    return length, "bad check"
  end
  local first = body:byte(1)
  if #body < 2 or first < 0x20 or first > 0x7E then return length, "too short" end
  return length, nil, { start = start, body = body, check = check }
end

-- The end of a run of printable characters without brackets, `most` at the most.
local function plain_end(data, from, most)
  local last = from
  while last <= #data and last < from + most and data:find("^[\32-\126]", last) and not data:find("^[%[%]<>]", last) do
    last = last + 1
  end
  return last
end

local function stop_bee_tek(data, at, last, limit)
  local bracket = data:find("^[%[%]<>]", last)
  local reason = last == limit and not bracket and "too long" or "cut off or malformed"
  return (data:find("^[%]>]", last) and last + 1 or last) - at, reason
end

local function one_bee_tek(data, at)
  local blank = data:match("^[ \t\r\n%z]+", at)
  if blank then return #blank, "blank" end
  local between = data:match("^[^ \t\r\n%z%[<]+", at)
  if between then return #between, "between items" end
  local begin, mode = at, ""
  if data:byte(at) == 91 then
    local last = plain_end(data, at + 1, BEE.mode_max)
    if last > #data then return nil end
    if data:byte(last) ~= 93 or last == at + 1 then return stop_bee_tek(data, at, last, at + 1 + BEE.mode_max) end
    mode, begin = data:sub(at + 1, last - 1), last + 1
    if begin > #data then return nil end
    if data:byte(begin) ~= 60 then return begin - at, "cut off or malformed" end
  end
  local last = plain_end(data, begin + 1, BEE.item_max)
  if last > #data then return nil end
  if data:byte(last) == 62 then
    return last + 1 - at, nil, { mode = mode, item = data:sub(begin + 1, last - 1), begin = begin - at }
  end
  return stop_bee_tek(data, at, last, begin + 1 + BEE.item_max)
end

local cut_angel_eye, cut_bee_tek = cutter(one_angel_eye), cutter(one_bee_tek)
local function give_up() return "cut off" end

-- What each packet holds is found out when it is looked at for the first time, in the order of the file, and kept: later
-- packets are looked at in any. That is not always the first pass: tshark -2 builds no tree there, and says no interface.
local QUIET = { ["idle delimiter"] = true, blank = true } -- reasons that mean nothing anywhere and warn of nothing
local streams, kept, talks, looked = {}, {}, {}, {}
local time_epoch, first_second = Field.new("frame.time_epoch"), nil

-- Seconds since about the first packet, to the nanosecond: the time since the first is not known in the first of two
-- passes, and a number of Lua holds the seconds since 1970 to a quarter of a microsecond only.
local function now_of(pinfo)
  local found = time_epoch()
  local value = found and found.value
  if type(value) ~= "userdata" then return pinfo.abs_ts end
  first_second = first_second or value.secs
  return value.secs - first_second + value.nsecs / 1e9
end

local function begin_again()
  streams, kept, talks, looked, first_second = {}, {}, {}, {}, nil
end

local function talk_of(key)
  if not talks[key] then talks[key] = { commands = {}, sessions = {}, sequence = {} } end
  return talks[key]
end

-- Give up what a stream holds: it was silent in the middle of a frame, or the line was closed.
local function flush(dialect, stream, found, number)
  local held = stream.held
  if held ~= "" then
    local given_up = piece(-#held, held, dialect.give_up(held))
    given_up.before, given_up.began = true, stream.began
    table.insert(found, 1, given_up)
    if stream.open then stream.open.given_up = number end
  end
  stream.open = nil
  stream.held, stream.overlong = "", false
end

-- The pieces that end in this packet, and how many bytes of an unfinished one it leaves.
local function pieces_of(dialect, text, pinfo, line)
  local key = line.key .. "/" .. line.way
  local number = pinfo.number
  local id = key .. "/" .. dialect.name .. "/" .. number
  if kept[id] then return kept[id] end
  local stream, now = streams[key], now_of(pinfo)
  if not stream or number <= stream.newest or stream.dialect ~= dialect.name then
    local older = stream and number <= stream.newest
    stream = { held = "", dialect = dialect.name, last = now, began = number, newest = number }
    if not older then streams[key] = stream end
  end
  stream.newest = number
  local before = {}
  if now - stream.last >= dialect.silence and dialect.silence > 0 and not line.patient then
    flush(dialect, stream, before, number)
  end
  local had, began = #stream.held, stream.began
  local found = dialect.cut(stream, text)
  for _, each in ipairs(found) do
    if each.at < 0 then each.began = began end
  end
  if before[1] then table.insert(found, 1, before[1]) end
  local record = { pieces = found, held = #stream.held, idle = QUIET[dialect.give_up(stream.held)] }
  if #stream.held > 0 and not (had > 0 and #stream.held == had + #text) then stream.began = number end
  if stream.open then stream.open.goes_on = number end
  stream.open = #stream.held > 0 and record or nil
  stream.last = now
  kept[id] = record
  return record
end

-- The same for TCP, where Wireshark itself keeps what is unfinished and hands it on again with what follows; one packet
-- may be handed on in several parts, so what is kept is found by the bytes, too.
local function pieces_of_tcp(dialect, text, pinfo, line)
  local key = line.key .. "/" .. line.way
  local id = concat({ key, dialect.name, pinfo.number, text }, "/")
  if kept[id] then return kept[id] end
  local stream = streams[key]
  if not stream or stream.dialect ~= dialect.name or pinfo.number < stream.newest then
    stream = { dialect = dialect.name, newest = pinfo.number }
    streams[key] = stream
  end
  stream.held, stream.newest = "", pinfo.number
  kept[id] = { pieces = dialect.cut(stream, text), held = #stream.held }
  return kept[id]
end

-- What talks made of a packet's frames, kept for later looks. A pass may hand TCP's bytes on in other parts than the one
-- before, so there a frame is found by its packet and its bytes.
local function seen_of(record, pinfo, line)
  if not line.whole then
    record.seen = record.seen or {}
    return record.seen, function(index) return index end
  end
  local id = concat({ line.key, line.way, pinfo.number }, "/")
  looked[id] = looked[id] or {}
  return looked[id], function(_, each) return each.bytes end
end

-- A note of the recorder ends what both directions of a line hold.
local function end_line(dialect, pinfo, line)
  local id = line.key .. "/note/" .. pinfo.number
  if not kept[id] then
    local found = {}
    for _, way in ipairs({ "sent", "received" }) do
      local stream = streams[line.key .. "/" .. way]
      if stream and pinfo.number > stream.newest then flush(dialect, stream, found, pinfo.number) end
    end
    kept[id] = { pieces = found, held = 0 }
  end
  return kept[id]
end

-- Sealed lines. The host writes the keys of each handshake to a file, if it is asked to; a frame is opened with them as the
-- other end opens it: keys of the newest call first, a counter of which the frame has the low byte, each counter once.
local SEALED, REFUSED = 0x80, 0x40
local OPENED, NO_KEY, UNOPENED, SENT_AGAIN, NOT_TAKEN = 1, 2, 3, 4, 5
local key_log = { path = "", keys = {}, order = {}, vain = 0 }

do
  local LINE = "^TDP%-SEAL (" .. ("%x"):rep(64) .. ") (" .. ("%x"):rep(64) .. ") (" .. ("%x"):rep(64) .. ")%s*$"
  local function unhex(text) return (text:gsub("%x%x", function(two) return string.char(tonumber(two, 16)) end)) end

  -- Read the file again: a host appends to it meanwhile. What is wrong with it is in `why`.
  function key_log.read()
    local before = #key_log.order
    key_log.keys, key_log.order, key_log.why, key_log.vain = {}, {}, nil, key_log.vain + 1
    if key_log.path == "" then return end
    local file, problem = io.open(key_log.path, "r")
    if not file then key_log.why = "the key log cannot be read: " .. problem return end
    local number = 0
    for line in file:lines() do
      number = number + 1
      local call, out, into = line:match(LINE)
      if call then
        local keys = { host = unhex(out), device = unhex(into), turn = number }
        key_log.keys[unhex(call)] = keys
        table.insert(key_log.order, 1, keys)
      elseif line:find("^TDP%-SEAL") then
        key_log.why = format("line %d of the key log is not TDP-SEAL and three keys of 64 hexadecimal digits", number)
      end
    end
    file:close()
    if #key_log.order ~= before then key_log.vain = 0 end
    if number > 0 and #key_log.order == 0 then key_log.why = key_log.why or "the key log has no key of a sealed line" end
  end
end

local WINDOW = 64
local PENDING = 8      -- calls, at most, whose keys may still come
local READS = 200      -- of the file in which nothing new was, at most
local SEARCHES = 3     -- of a line whose call is not in the capture, at most, in each direction
local SEARCHED = 1024  -- counters tried in one of them

local function seal_of(talk)
  if not talk.seal then talk.seal = { sets = {}, known = {}, pending = {}, first = { host = 1, device = 1 }, searches = { host = 0, device = 0 } } end
  return talk.seal
end

-- Keys are as old as their line in the file: an earlier call, sent again by someone, is not taken for a new one.
local function add_set(seal, keys)
  local newest = seal.sets[#seal.sets]
  if newest and newest.keys.turn >= keys.turn then return nil end
  seal.sets[#seal.sets + 1] = { keys = keys, top = {}, opened = { host = {}, device = {} } }
  return #seal.sets
end

local function take_keys(seal)
  for at = #seal.pending, 1, -1 do
    if key_log.keys[seal.pending[at]] then
      local later = {}
      for index = at + 1, #seal.pending do later[#later + 1] = seal.pending[index] end
      add_set(seal, key_log.keys[seal.pending[at]])
      seal.pending = later -- calls before it got no answer, or an older one
      return true
    end
  end
end

-- A call in clear: the keys of its answer are in the file under its ephemeral key, later if the capture is live.
local function take_call(talk, ephemeral)
  local seal = seal_of(talk)
  if seal.known[ephemeral] then return end
  seal.known[ephemeral] = true
  table.insert(seal.pending, ephemeral)
  take_keys(seal)
  if #seal.pending > PENDING then table.remove(seal.pending, 1) end
end

-- An answer without its call in the capture: it may be on a line of its own, and new keys begin.
local function take_answer_alone(talk)
  local seal = seal_of(talk)
  if not next(seal.known) then seal.searches = { host = 0, device = 0 } end
end

local function try(keys, from, counter, decoded)
  local low, high = counter % 4294967296, math.floor(counter / 4294967296)
  local nonce = { "\0\0\0\0" }
  for _, half in ipairs({ low, high }) do
    for _ = 1, 4 do
      nonce[#nonce + 1] = string.char(half % 256)
      half = math.floor(half / 256)
    end
  end
  return open_aead(keys[from], concat(nonce), decoded:sub(1, 8), decoded:sub(9, -5))
end

-- Open under one set of keys; gives the payload and its counter, or nil and whether it was opened before.
local function open_under(set, from, decoded)
  local sequence, top = decoded:byte(4), set.top[from]
  local counter = sequence
  if top then
    local ahead = (sequence - top + 128) % 256 - 128
    counter = top + ahead
    if counter < 0 or ahead <= -WINDOW then return nil end
    if set.opened[from][counter] then return nil, set.opened[from][counter] == decoded end
  end
  local payload = try(set.keys, from, counter, decoded)
  if not payload then return nil end
  set.top[from] = math.max(top or counter, counter)
  set.opened[from][counter] = decoded
  set.opened[from][counter - WINDOW * 2] = nil
  return payload, counter
end

-- The capture begins after the call: try the keys of the file, newest first, with every counter that a while can have.
local function search(seal, from, decoded)
  seal.searches[from] = seal.searches[from] + 1
  if key_log.vain < READS then key_log.read() end
  for round = 0, math.floor(SEARCHED / math.max(#key_log.order, 1)) do
    for index = 1, math.min(#key_log.order, SEARCHED) do
      local keys, counter = key_log.order[index], decoded:byte(4) + 256 * round
      local payload = try(keys, from, counter, decoded)
      if payload then
        local at
        for number, set in ipairs(seal.sets) do at = set.keys.turn == keys.turn and number or at end
        at = at or add_set(seal, keys)
        local set = seal.sets[at or 0]
        if not set or at < seal.first[from] or counter <= (set.top[from] or -1) then return nil end -- an old one, sent again
        set.top[from], set.opened[from][counter], seal.first[from] = counter, decoded, at
        return payload, counter
      end
    end
  end
end

-- What a sealed frame of this sender holds: how it went, and the payload and its counter, or why not.
local function open_from(talk, from, decoded)
  local seal = seal_of(talk)
  if #seal.pending > 0 and not take_keys(seal) and key_log.path ~= "" and key_log.vain < READS then
    key_log.read()
    take_keys(seal)
  end
  local again
  for index = #seal.sets, seal.first[from], -1 do
    local payload, counter = open_under(seal.sets[index], from, decoded)
    if payload then
      seal.first[from] = index
      return OPENED, payload, counter
    end
    again = again or counter
  end
  if again then return SENT_AGAIN, nil, "it was sent before; the other end does not take it again" end
  if not next(seal.known) and key_log.path ~= "" and seal.searches[from] < SEARCHES then
    local payload, counter = search(seal, from, decoded)
    if payload then return OPENED, payload, counter end
  end
  if key_log.path == "" then return NO_KEY, nil, "no key log is set in the preferences" end
  local set = seal.sets[#seal.sets]
  if #seal.pending > 0 or not set then
    return NO_KEY, nil, key_log.why or (next(seal.known) and "the key log has no keys of this line's call")
      or "the call is not in this capture, and no key of the key log opens the frame"
  end
  if not set.top.host and not set.top.device then
    return UNOPENED, nil, "the keys that the key log has for this line's call are wrong, or the frame was altered"
  end
  return UNOPENED, nil, "the frame was altered, or is none of the other end"
end

-- As `open_from`, where the sender may not be known: the frame opens in one direction only.
local function open_sealed(talk, from, decoded)
  if from then return open_from(talk, from, decoded) end
  local how, payload, counter
  for _, each in ipairs({ "host", "device" }) do
    how, payload, counter = open_from(talk, each, decoded)
    if how == OPENED or how == SENT_AGAIN then return how, payload, counter, each end
  end
  return how, payload, counter
end

-- Who answers what. A talk is one line with both its directions; every frame is looked at once, in the order of the file.
local COMMAND, REPLY, PROGRESS, EVENT, ACK, NAK, LINK = 1, 2, 3, 4, 5, 6, 7

local function note(seen, expert, text)
  seen.notes[#seen.notes + 1] = { expert, text }
end

local function take_sequence(talk, frame, seen)
  local last, now = talk.sequence[frame.from], frame.sequence
  talk.sequence[frame.from] = now
  if last == now and not frame.begins then
    note(seen, "duplicate", "the link sequence of the frame before: sent twice, or heard twice")
  elseif last and now ~= (last + 1) % 256 and not frame.begins then
    local lost = (now - last - 1) % 256
    -- Half the count further is a step back: the sender started anew.
    if lost < 128 then
      note(seen, "lost", lost == 1 and "one frame before this one is missing in this direction"
        or format("%d frames before this one are missing in this direction", lost))
    else
      note(seen, "restart", "the sender counts its frames anew")
    end
  end
end

local function take_command(talk, frame, seen, at)
  local old = talk.commands[frame.request]
  if old and old.content == frame.content and at - old.at < TDP.remembered_s then
    old.tries = old.tries + 1
    seen.entry, seen.retry_of, seen.sending = old, old.number, { number = seen.number, at = at }
    table.insert(old.open, seen.sending)
    note(seen, "retry", format("sent again under its request id, time %d", old.tries))
    return
  end
  if old and not old.reply and old.number ~= seen.number and at - old.at < TDP.remembered_s then
    note(seen, "reused", "a request id that another command had")
  end
  seen.sending = { number = seen.number, at = at }
  seen.entry = { number = seen.number, at = at, content = frame.content, name = frame.name, message = frame.message,
    events = {}, tries = 1, role = frame.role, open = { seen.sending } }
  talk.commands[frame.request] = seen.entry
end

-- An answer is for every sending that has none yet: late is what is late for the first of them.
local function take_time(entry, seen, at)
  local first, last = entry.open[1], entry.open[#entry.open]
  if not first then return end
  seen.request_in, seen.took = first.number, at - first.at
  if last ~= first then seen.took_retry = at - last.at end
  for _, sending in ipairs(entry.open) do sending.reply = seen.number end
  entry.open = {}
end

local function take_answer(talk, frame, seen, at)
  local entry = talk.commands[frame.request]
  if not entry or (frame.kind ~= EVENT and entry.message ~= frame.message) then
    if frame.kind == REPLY then note(seen, "unasked", "nobody is seen to wait for this reply") end
    return
  end
  seen.request_in = entry.number
  if frame.kind == REPLY or frame.kind == NAK then
    take_time(entry, seen, at)
    if entry.reply and frame.kind == REPLY then
      seen.repeat_of = entry.reply
      note(seen, "repeated", "this command was answered before; the reply comes again")
    else
      entry.reply = seen.number
    end
    if frame.kind == REPLY and frame.done and entry.role then talk.role = entry.role end
  else
    seen.since = at - entry.at
    if frame.kind == EVENT then entry.events[#entry.events + 1] = seen.number end
  end
end

local function session_of(talk, id)
  local session = talk.sessions[id]
  if not session then
    session = { newest = nil, events = {}, waiting = {} }
    talk.sessions[id] = session
  end
  return session
end

local function take_event(talk, frame, seen)
  local session = session_of(talk, frame.old_session or talk.session or 0)
  local old = session.events[frame.number]
  if old and old.payload == frame.payload then
    seen.repeat_of, seen.event = old.number, old
    note(seen, "again", "this event was sent before, with the same bytes")
    return
  end
  if old then
    note(seen, "restart", "an event with this number was sent before, with other bytes: the device restarted")
  elseif session.newest and frame.number > session.newest + 1 then
    local first, last = session.newest + 1, frame.number - 1
    note(seen, "missing", first == last and format("event %d is missing before this one", first)
      or format("events %d to %d are missing before this one", first, last))
  end
  seen.event = { number = seen.number, payload = frame.payload }
  session.events[frame.number], session.waiting[frame.number] = seen.event, seen.event
  session.newest = math.max(session.newest or 0, frame.number)
end

local function take_ack(talk, frame, seen)
  local session = talk.sessions[frame.session]
  if not session then return end
  for number, event in pairs(session.waiting) do
    if number <= frame.up_to then
      event.ack, session.waiting[number] = seen.number, nil
    end
  end
end

local function enter_session(talk, frame, seen)
  if talk.session == frame.session then return end
  if talk.session then
    note(seen, "restart", format("the session changed from %08X to %08X: the device restarted", talk.session, frame.session))
    talk.role, talk.sequence.device = nil, nil
  end
  talk.session = frame.session
  if talk.sessions[0] then talk.sessions[frame.session], talk.sessions[0] = talk.sessions[0], nil end
end

-- What is known of a frame beyond its own bytes.
local function look_at(talk, frame, number, at)
  local seen = { number = number, notes = {} }
  if not frame.layout then
    take_sequence(talk, frame, seen)
    return seen
  end
  if frame.names_session then enter_session(talk, frame, seen) end
  if frame.class then talk.class = frame.class end
  take_sequence(talk, frame, seen)
  if frame.calls then take_call(talk, frame.by_name.ephemeral) end
  if frame.name == "SealAnswer" then take_answer_alone(talk) end
  if frame.kind == COMMAND then
    take_command(talk, frame, seen, at)
  elseif frame.request ~= 0 then
    take_answer(talk, frame, seen, at)
  end
  if frame.kind == EVENT and frame.number then take_event(talk, frame, seen) end
  if frame.kind == ACK and frame.up_to then take_ack(talk, frame, seen) end
  if frame.hello then
    talk.hello = { number = number, at = at }
    seen.sending = talk.hello
  end
  if frame.hello_reply and talk.hello then
    seen.request_in = talk.hello.number
    if not talk.hello.reply then talk.hello.reply, seen.took = number, at - talk.hello.at end
  end
  seen.class, seen.session, seen.role = talk.class, talk.session, talk.role
  return seen
end

local SENDERS = { [0] = "device", [1] = "host" }
local CHECKS = { [0] = "Bad", [1] = "Good", [2] = "Unverified", [3] = "Not present" } -- as Wireshark's own dissectors
local SEALS = { "Opened", "No key", "Does not open", "Sent again", "Refused" }
local tdp = Proto("tdp", "Table Device Protocol")
local T = {}   -- fields of the declarations, by key
local G = {    -- fields of this dissector's own
  check = ProtoField.uint32("tdp.check", "Check (CRC-32)", base.HEX),
  header = ProtoField.none("tdp.header", "Header"),
  check_status = ProtoField.uint8("tdp.check.status", "Check status", base.DEC, CHECKS),
  check_calculated = ProtoField.uint32("tdp.check.calculated", "Calculated check", base.HEX),
  payload = ProtoField.bytes("tdp.payload", "Payload"),
  unread = ProtoField.bytes("tdp.unread", "Bytes that do not fit"),
  extension = ProtoField.none("tdp.extension", "Extension"),
  extension_type = ProtoField.uint8("tdp.extension.type", "Type", base.HEX, TDP.extensions),
  extension_length = ProtoField.uint8("tdp.extension.length", "Length"),
  extension_value = ProtoField.bytes("tdp.extension.value", "Value"),
  sealed_payload = ProtoField.bytes("tdp.seal.payload", "Sealed payload"),
  tag = ProtoField.bytes("tdp.seal.tag", "Tag"),
  seal = ProtoField.uint8("tdp.seal.status", "Seal", base.DEC, SEALS),
  counter = ProtoField.uint64("tdp.seal.counter", "Counter"),
  idle = ProtoField.bytes("tdp.idle", "Idle bytes"),
  noise = ProtoField.bytes("tdp.noise", "Noise"),
  reason = ProtoField.string("tdp.noise.reason", "Why they are no frame"),
  began = ProtoField.framenum("tdp.began_in", "Began in packet"),
  goes_on = ProtoField.framenum("tdp.continued_in", "Goes on in packet"),
  given_up = ProtoField.framenum("tdp.given_up_in", "Given up in packet"),
  response_in = ProtoField.framenum("tdp.response_in", "Response in packet", base.NONE, frametype.RESPONSE),
  request_in = ProtoField.framenum("tdp.request_in", "Request in packet", base.NONE, frametype.REQUEST),
  caused = ProtoField.framenum("tdp.event_in", "Event it caused in packet"),
  time = ProtoField.relative_time("tdp.response_time", "Response time"),
  retry_time = ProtoField.relative_time("tdp.response_time.retry", "Response time, from the last time it was sent"),
  since = ProtoField.relative_time("tdp.since_command", "Time since the command"),
  retry_of = ProtoField.framenum("tdp.retry_of", "Sent first in packet", base.NONE, frametype.RETRANS_PREV),
  repeat_of = ProtoField.framenum("tdp.repeat_of", "Sent before in packet", base.NONE, frametype.RETRANS_PREV),
  ack_in = ProtoField.framenum("tdp.ack_in", "Acknowledged in packet", base.NONE, frametype.ACK),
  sender = ProtoField.uint8("tdp.sender", "Sender", base.DEC, SENDERS),
  link = ProtoField.string("tdp.link_state", "Link state"),
}
for _, each in pairs(TDP.inside) do
  for _, part in ipairs(each.parts) do
    local abbr = "tdp.extension." .. part.key
    G[part.key] = part.number and ProtoField.uint32(abbr, part.label)
      or ProtoField.bytes(abbr, part.label)
  end
end
for _, each in ipairs(TDP.fields) do
  local key, abbr, label, kind, values, about = each[1], each[2], each[3], each[4], each[5], each[6]
  local make = ProtoField[kind]
  if kind == "none" then
    T[key] = make(abbr, label, about)
  elseif kind == "bool" then
    local both = values and TDP.values[values]
    T[key] = make(abbr, label, each.width or base.NONE, both and { both[1], both[0] } or { "yes", "no" }, each.mask, about)
  elseif kind == "bytes" then
    T[key] = make(abbr, label, base.NONE, about)
  elseif kind == "string" then
    T[key] = make(abbr, label, base.ASCII, about)
  elseif kind == "uint64" then
    T[key] = make(abbr, label, base.DEC, nil, nil, about)
  else
    T[key] = make(abbr, label, each.hex and base.HEX or base.DEC,
      values and TDP.values[values] or nil, nil, about)
  end
end
local E, severity, group = {}, expert.severity, expert.group
for name, each in pairs({
  check = { "Bad check", group.CHECKSUM, severity.ERROR },
  noise = { "Noise", group.MALFORMED, severity.WARN },
  unread = { "Payload that does not fit its message", group.MALFORMED, severity.ERROR },
  unknown = { "Message this version does not know", group.UNDECODED, severity.NOTE },
  retry = { "Command sent again", group.SEQUENCE, severity.NOTE },
  repeated = { "Reply sent again", group.SEQUENCE, severity.NOTE },
  again = { "Event sent again", group.SEQUENCE, severity.NOTE },
  unasked = { "Reply without a command", group.SEQUENCE, severity.NOTE },
  reused = { "Request id used again", group.SEQUENCE, severity.WARN },
  missing = { "Events missing", group.SEQUENCE, severity.WARN },
  gap = { "Events gone for ever", group.SEQUENCE, severity.WARN },
  lost = { "Frames lost", group.SEQUENCE, severity.WARN },
  duplicate = { "Link sequence repeated", group.SEQUENCE, severity.NOTE },
  restart = { "Device started anew", group.SEQUENCE, severity.NOTE },
  nak = { "Frame of no use", group.RESPONSE_CODE, severity.WARN },
  refused = { "Command refused", group.RESPONSE_CODE, severity.WARN },
  no_key = { "Sealed, no key", group.UNDECODED, severity.NOTE },
  unopened = { "Sealed frame that does not open", group.SECURITY or group.PROTOCOL, severity.WARN },
  sealed_again = { "Sealed frame sent again", group.SECURITY or group.PROTOCOL, severity.WARN },
  not_taken = { "Frame that the sealed line refused", group.SECURITY or group.PROTOCOL, severity.WARN },
  red_lamp = { "Red lamp", group.RESPONSE_CODE, severity.WARN },
  misdeal = { "Misdeal", group.RESPONSE_CODE, severity.ERROR },
  fault = { "Fault", group.RESPONSE_CODE, severity.WARN },
}) do
  E[name] = ProtoExpert.new("tdp.expert." .. name, each[1], each[2], each[3])
end
do
  local fields = {}
  for _, each in ipairs(TDP.fields) do fields[#fields + 1] = T[each[1]] end
  for _, each in ipairs(in_order(G)) do fields[#fields + 1] = each end
  tdp.fields, tdp.experts = fields, in_order(E)
end

-- Reading a frame of TDP, and saying it in a sentence.
local STATES = { [1] = "ShufflerState", [2] = "ShoeState", [3] = "ControllerState" }

local function fault_text(number)
  local known = TDP.values.Fault[number]
  return known and format("%s (%d)", known, number)
    or format("%s fault %d", TDP.fault_classes[math.floor(number / 100)] or "unclassified", number)
end

local function flags_text(flags, value)
  local found = {}
  for _, flag in ipairs(TDP.flags[flags]) do
    if band(value, flag[1]) ~= 0 then
      found[#found + 1], value = words(flag[2]), value - flag[1]
    end
  end
  if value > 0 then found[#found + 1] = format("0x%X", value) end
  return #found > 0 and concat(found, ", ") or "none"
end

-- Which bits are set, the lowest of them being 1.
local function bits_text(value)
  local found, number = {}, 0
  while value > 0 do
    number = number + 1
    if value % 2 == 1 then found[#found + 1] = tostring(number) end
    value = math.floor(value / 2)
  end
  return #found > 0 and concat(found, ", ") or "none"
end

-- A value as a person reads it.
local function spoken(field, value)
  local values = field.values
  if values == "Fault" then return fault_text(value) end
  if field.flags then return flags_text(field.flags, value) end
  if field.bits then return bits_text(value) end
  if not values then return field.hex and format("%0" .. 2 * field.size .. "X", value) or tostring(value) end
  local name = TDP.values[values][value]
  if not name then return format(field.lists_codes and "0x%02X" or "%d", value) end
  return field.as_is and name or words(name)
end

-- Reading a payload: what is in it as far as it goes, as values with their place in the decoded frame, where that ends,
-- and why it does not fit.
local function read_fixed(frame, layout, last)
  local at, why = 8, nil
  for _, field in ipairs(layout.fields) do
    if field.shape == "list" then break end
    if at + field.size > last then
      return at, format("%d bytes where at least %d are needed", last - 8, layout.fixed)
    end
    local value
    if field.shape == "u" then
      value = field.size < 8 and number_le(frame.decoded, at + 1, field.size) or false
    else
      value = frame.decoded:sub(at + 1, at + field.size)
      if field.shape == "text" then
        value = value:gsub("%z+$", "")
        if value:find("[\128-\255]") then why = why or field.name .. " is not ASCII" end
      end
    end
    frame.values[#frame.values + 1] = { field = field, at = at, size = field.size, value = value }
    frame.by_name[field.name] = value
    at = at + field.size
  end
  return at, why
end

local function read_list(frame, field, at, last)
  if at >= last then return at, field.name .. " is missing" end
  local said = frame.decoded:byte(at + 1)
  local count = math.min(said, math.floor((last - at - 1) / field.size))
  local stop = at + 1 + count * field.size
  local items = {}
  for index = 0, count - 1 do
    local from = at + 1 + index * field.size
    local item = { at = from, size = field.size }
    if field.parts then
      local inner = from
      for _, part in ipairs(field.parts) do
        item[#item + 1] = { field = part, at = inner, size = part.size, value = number_le(frame.decoded, inner + 1, part.size) }
        inner = inner + part.size
      end
    else
      item.value = number_le(frame.decoded, from + 1, field.size)
    end
    items[#items + 1] = item
  end
  frame.values[#frame.values + 1] = { field = field, at = at, size = stop - at, items = items }
  frame.by_name[field.name] = items
  return stop, count < said and format("%s counts %d, more than the payload holds", field.name, said) or nil
end

local function read_extensions(frame, at, last)
  while at < last do
    local stop = at + 2 <= last and at + 2 + frame.decoded:byte(at + 2) or last + 1
    if stop > last then return at, format("%d bytes at the end are not a complete extension", last - at) end
    local value = frame.decoded:sub(at + 3, stop)
    local kind = frame.decoded:byte(at + 1)
    local known = TDP.inside[kind]
    frame.extensions[#frame.extensions + 1] = { at = at, size = stop - at, inside = known and known.size == #value and known.parts }
    if kind == 1 and #value == 4 then frame.old_session = number_le(value, 1, 4) end
    at = stop
  end
  return at
end

local function read_payload(frame, layout)
  local last = #frame.decoded - 4
  local at, why = read_fixed(frame, layout, last)
  local text_only = why and last - 8 >= layout.fixed
  for _, field in ipairs(layout.fields) do
    if field.shape == "list" and (not why or text_only) then
      local wrong
      at, wrong = read_list(frame, field, at, last)
      if wrong then return at, why or wrong end
    end
  end
  if why and not text_only then return at, why end
  local stop, wrong = read_extensions(frame, at, last)
  return stop, why or wrong
end

local FROM_HOST = { [COMMAND] = true, [ACK] = true }
local SENDER_OF = { [COMMAND] = "host", [ACK] = "host", [REPLY] = "device", [PROGRESS] = "device", [EVENT] = "device" }

-- Everything that a decoded frame says by itself.
local function read_frame(decoded)
  local frame = { decoded = decoded, values = {}, by_name = {}, extensions = {} }
  frame.version, frame.flags, frame.kind, frame.sequence = decoded:byte(1, 4)
  frame.request, frame.message = number_le(decoded, 5, 2), number_le(decoded, 7, 2)
  frame.content = decoded:sub(1, 3) .. decoded:sub(5, -5)
  frame.payload = decoded:sub(9, -5)
  frame.layout = TDP.messages[frame.kind * 65536 + frame.message] or TDP.answers[frame.kind]
  frame.names = TDP.names[frame.message] or format("message %04Xh", frame.message)
  local greeting = frame.kind == LINK and (frame.message == 1 or frame.message == 2)
  if frame.layout and frame.version ~= TDP.version and not greeting then frame.layout = nil end
  frame.sealed = frame.version == TDP.version and band(frame.flags, SEALED) ~= 0
  frame.refused = frame.version == TDP.version and band(frame.flags, REFUSED) ~= 0
  if frame.sealed then
    frame.unreadable = true
    if frame.kind ~= NAK then frame.from = frame.layout and frame.layout.sender or SENDER_OF[frame.kind] end
    frame.layout = nil
    return frame
  end
  if frame.layout then
    frame.stop, frame.why = read_payload(frame, frame.layout)
    frame.name = frame.layout.name
  end
  frame.unreadable = frame.why ~= nil or not frame.layout
  local from = frame.layout and frame.layout.sender
  frame.from = from or FROM_HOST[frame.kind] and "host" or "device"
  if frame.kind == NAK or not frame.layout then frame.from = nil end
  if not frame.layout then return frame end
  local by = frame.by_name
  frame.hello = frame.kind == LINK and frame.message == 1
  frame.hello_reply = frame.kind == LINK and frame.message == 2
  frame.begins = frame.hello or frame.hello_reply
  frame.calls = by.ephemeral and (frame.name == "SealCall" or frame.name == "PairCall")
  frame.names_session = by.session ~= nil and (frame.hello_reply or by.last_event ~= nil)
  frame.session, frame.number, frame.up_to = by.session, frame.kind == EVENT and by.number or nil, by.up_to
  if frame.hello_reply and not by.session then frame.hello_reply = false end
  frame.done = frame.kind == REPLY and by.status == 1
  frame.role = frame.kind == COMMAND and by.role or nil
  if STATES[math.floor(frame.message / 256)] then frame.class = math.floor(frame.message / 256) end
  if frame.hello_reply and STATES[by.device_class] then frame.class = by.device_class end
  return frame
end

-- What a state means: by its message, else by the class of the device.
local function state_field(field, class)
  local values = field.by_class and (field.values or STATES[class or 0])
  if not values then return field end
  return { name = field.name, label = field.label, values = values, size = field.size, key = TDP.states[field.name][values] }
end

local function list_text(entry)
  local found = {}
  for _, item in ipairs(entry.items) do
    if entry.field.parts then
      local inner = {}
      for _, part in ipairs(item) do inner[#inner + 1] = format("%s %d", words(part.field.name), part.value) end
      found[#found + 1] = concat(inner, " ")
    else
      found[#found + 1] = spoken(entry.field, item.value)
    end
  end
  return #found > 0 and concat(found, entry.field.values == "card" and " " or ", ") or "none"
end

local function entry_text(entry, class)
  local field = entry.field
  if entry.items then return list_text(entry) end
  if field.shape == "u" then
    if field.size == 8 then return entry.text or "?" end
    return spoken(state_field(field, class), entry.value)
  end
  if field.shape == "text" then return (entry.value:gsub("[^\32-\126]", ".")) end
  return hex(entry.value)
end

-- `{name}` of a sentence becomes the field's text; what stands in brackets goes when its field says nothing.
local function say(frame, class)
  local texts = {}
  for _, entry in ipairs(frame.values) do
    if entry.field.size == 8 and entry.field.shape == "u" then
      entry.text = tostring(UInt64.decode and ByteArray.new(frame.decoded:sub(entry.at + 1, entry.at + 8), true)
        :tvb("number")():le_uint64() or "")
    end
    texts[entry.field.name] = entry_text(entry, class)
  end
  local sentence = frame.layout.says
  if not sentence then
    local parts = {}
    for _, entry in ipairs(frame.values) do
      local name = entry.field.name
      if name ~= "number" and name ~= "device_ms" and name ~= "session" then
        parts[#parts + 1] = words(name) .. " " .. texts[name]
      end
    end
    return frame.name .. (#parts > 0 and ": " .. concat(parts, ", ") or "")
  end
  sentence = sentence:gsub("%b[]", function(part)
    local name = part:match("{([%w_]+)}")
    return (texts[name] == "none" or texts[name] == "no" or texts[name] == "" or texts[name] == "0") and "" or part:sub(2, -2)
  end)
  return (sentence:gsub("{([%w_]+)}", texts))
end

-- Showing a frame of TDP.
local HEADS = { [COMMAND] = "Command%s, ", [REPLY] = "Reply to command%s, ", [PROGRESS] = "Progress of command%s, " }

local SEALED_WHY = { [NO_KEY] = "sealed (no key)", [UNOPENED] = "sealed, does not open", [SENT_AGAIN] = "sealed, sent again" }

local function title(frame, seen)
  local what = frame.names
  local request = frame.request ~= 0 and " " .. frame.request or ""
  if frame.sealed then
    local heads = { [NAK] = "Not accepted: ", [EVENT] = "Event: ", [ACK] = "" }
    return format("%s%s, %s", format(HEADS[frame.kind] or heads[frame.kind] or "", request), what,
      SEALED_WHY[seen.seal] or "sealed")
  end
  if not frame.layout then
    if frame.version ~= TDP.version then
      return format("%s of version %d, which is not read here: that is version %s", what, frame.version, TDP.version_text)
    end
    return format("%s, kind %d: not known to version %s", what, frame.kind, TDP.version_text)
  end
  if frame.why then
    local head = format(HEADS[frame.kind] or frame.number and format("Event %d, ", frame.number) or "", request)
    return format("%s%s that cannot be read: %s", head, what, frame.why)
  end
  local says = say(frame, seen.class)
  if frame.kind == COMMAND then return format("Command%s: %s", request, says) end
  if frame.kind == REPLY then return format("Reply to command%s, %s: %s", request, what, says) end
  if frame.kind == PROGRESS then return format("Progress of command%s, %s: %s", request, what, says) end
  if frame.kind == NAK then return format("Not accepted: %s, %s", what, says) end
  if frame.kind == EVENT then
    return format("Event %d: %s%s", frame.number, says, frame.request ~= 0 and ", from command" .. request or "")
  end
  return says
end

local function add_value(tree, entry, tvb, class)
  local field = entry.field
  local range = tvb(entry.at, entry.size)
  if entry.items then
    local inner = tree:add(T[field.key], range):set_text(format("%s: %s", field.label, list_text(entry)))
    inner:add(T[field.name .. ".count"], tvb(entry.at, 1))
    for _, item in ipairs(entry.items) do
      if field.parts then
        local row = inner:add(T[field.name .. ".row"], tvb(item.at, item.size))
        local said = {}
        for _, part in ipairs(item) do
          row:add_le(T[part.field.key], tvb(part.at, part.size))
          said[#said + 1] = words(part.field.name) .. " " .. part.value
        end
        row:set_text(concat(said, ", "))
      else
        local leaf = inner:add_le(T[field.item], tvb(item.at, item.size))
        leaf:set_text(spoken(field, item.value))
      end
    end
    return
  end
  if field.shape == "text" and not entry.value:find("[\128-\255]") then
    tree:add(T[field.key], range, entry.value)
    return
  elseif field.shape ~= "u" then
    tree:add(T[field.key], range)
    return
  end
  local leaf = tree:add_le(T[field.key], range)
  local now = state_field(field, class)
  if now ~= field then -- the number under the name without a class, as ip.addr stands beside ip.src
    leaf:set_hidden()
    leaf = tree:add_le(T[now.key], range)
  end
  if field.flags then
    leaf:set_text(format("%s: %s (0x%X)", field.label, flags_text(field.flags, entry.value), entry.value))
    for _, flag in ipairs(TDP.flags[field.flags]) do leaf:add_le(T[field.key .. "." .. flag[2]], range) end
  elseif field.values == "Fault" then
    leaf:set_text(format("%s: %s", field.label, fault_text(entry.value)))
  elseif now.values then
    local name = TDP.values[now.values][entry.value]
    local number = field.lists_codes and "0x%02X" or "%d"
    local shown = format(name and "(" .. number .. ")" or number, entry.value)
    leaf:set_text(format("%s: %s%s", field.label, name and name .. " " .. shown or shown, not name and field.unit and " " .. field.unit or ""))
  elseif field.bits then
    leaf:set_text(format("%s: %s (0x%X)", field.label, bits_text(entry.value), entry.value))
  elseif field.unit then
    leaf:append_text(" " .. field.unit)
  end
end

local function add_header(tree, frame, tvb)
  local kind = TDP.values.Kind[frame.kind]
  local header = tree:add(G.header, tvb(0, 8)):set_text(format("Header: %s frame, link sequence %d%s",
    kind and words(kind) or "kind " .. frame.kind, frame.sequence, frame.request ~= 0 and ", request " .. frame.request or ""))
  for _, field in ipairs(TDP.header) do
    local range = tvb(field.at, field.size)
    local leaf = header:add_le(T[field.key], range)
    if field.name == "link_sequence" then leaf:append_text(" (counts the frames of this side, modulo 256)") end
    if field.flags and tvb(1, 1):uint() ~= 0 then
      for _, flag in ipairs(TDP.flags[field.flags]) do leaf:add_le(T[field.key .. "." .. flag[2]], range) end
    end
  end
end

local function add_extension(tree, each, tvb)
  local inner = tree:add(G.extension, tvb(each.at, each.size))
  inner:set_text("Extension")
  inner:add(G.extension_type, tvb(each.at, 1))
  inner:add(G.extension_length, tvb(each.at + 1, 1))
  if each.size == 2 then return end
  local value = inner:add(G.extension_value, tvb(each.at + 2, each.size - 2))
  local at = each.at + 2
  for _, part in ipairs(each.inside or {}) do
    value:add_le(G[part.key], tvb(at, part.size))
    at = at + part.size
  end
end

local function add_check(tree, frame, tvb, good)
  local last = #frame.decoded - 4
  local item = tree:add_le(G.check, tvb(last, 4))
  if good then
    item:append_text(" [correct]")
    item:add(G.check_status, 1):set_generated()
    return
  end
  local should = crc32(frame.decoded:sub(1, last))
  item:append_text(format(" [incorrect, should be 0x%08x]", should))
  item:add(G.check_status, 0):set_generated()
  item:add(G.check_calculated, should):set_generated()
end

local SEAL_EXPERTS = { [NO_KEY] = "no_key", [UNOPENED] = "unopened", [SENT_AGAIN] = "sealed_again", [NOT_TAKEN] = "not_taken" }

-- What is in the bytes of a sealed frame, and how it opened: the header as it was sent, what is sealed, its tag.
local function add_seal(tree, frame, tvb, seen)
  local last = #frame.decoded - 4
  if frame.sealed and last >= 24 then
    tree:add(G.sealed_payload, tvb(8, last - 24))
    tree:add(G.tag, tvb(last - 16, 16))
  end
  tree:add(G.seal, seen.seal):set_generated()
  if seen.counter then tree:add(G.counter, UInt64.new(seen.counter % 4294967296, math.floor(seen.counter / 4294967296))):set_generated() end
  local expert = SEAL_EXPERTS[seen.seal]
  if expert then tree:add_proto_expert_info(E[expert], "sealed: " .. seen.seal_why) end
end

local function add_frame(tree, frame, tvb, class, good)
  if not frame.opened then add_header(tree, frame, tvb) end
  local last = #frame.decoded - 4
  for _, entry in ipairs(frame.values) do add_value(tree, entry, tvb, class) end
  for _, each in ipairs(frame.extensions) do add_extension(tree, each, tvb) end
  if frame.unreadable and last > 8 then
    local payload = tree:add(G.payload, tvb(8, last - 8))
    if frame.why and frame.stop < last then
      local rest = payload:add(G.unread, tvb(frame.stop, last - frame.stop))
      rest:add_proto_expert_info(E.unread, frame.names .. ": " .. frame.why)
      frame.warned = true
    end
  end
  if not frame.opened then add_check(tree, frame, tvb, good) end
end

local function link_text(frame, seen)
  local role = frame.role and TDP.values.Role[frame.role]
  if role then return "to be opened to " .. words(role) end
  role = seen.role and TDP.values.Role[seen.role]
  return role and "opened to " .. words(role) or "not seen to be opened"
end

local function add_links(tree, frame, seen)
  local function link(field, value) if value then tree:add(field, value):set_generated() end end
  link(G.retry_of, seen.retry_of)
  link(G.repeat_of, seen.repeat_of)
  link(G.request_in, seen.request_in)
  local function took(field, seconds) if seconds then tree:add(field, time_of(seconds)):set_generated() end end
  took(G.time, seen.took)
  took(G.retry_time, seen.took_retry)
  took(G.since, seen.since)
  if seen.sending then link(G.response_in, seen.sending.reply) end
  if seen.entry then
    for _, number in ipairs(seen.entry.events or {}) do link(G.caused, number) end
  end
  if seen.event then link(G.ack_in, seen.event.ack) end
  if seen.session then
    tree:add(G.link, format("%08X, %s", seen.session, link_text(frame, seen))):set_generated()
  end
end

local function add_warnings(tree, frame, seen)
  for _, each in ipairs(seen.notes) do tree:add_proto_expert_info(E[each[1]], each[2]) end
  local by = frame.by_name
  if frame.warned or frame.sealed then return end
  if frame.why then return tree:add_proto_expert_info(E.unread, frame.names .. ": " .. frame.why) end
  if not frame.layout then return tree:add_proto_expert_info(E.unknown, frame.names .. " is not known") end
  if frame.kind == NAK then
    tree:add_proto_expert_info(E.nak, format("%s was not accepted: %s", frame.names, words(TDP.values.Reason[by.reason] or tostring(by.reason))))
  elseif frame.kind == REPLY and by.status == 2 then
    tree:add_proto_expert_info(E.refused, format("%s was refused: %s", frame.names, words(TDP.values.Reason[by.reason] or tostring(by.reason))))
  elseif frame.kind == LINK and by.first_missing then
    if by.first_kept > by.first_missing then
      tree:add_proto_expert_info(E.gap, format("events %d to %d are gone for ever", by.first_missing, by.first_kept - 1))
    end
  end
  if by.lamps and band(by.lamps, 1) == 1 or frame.kind == EVENT and by.lit == 1 then
    tree:add_proto_expert_info(E.red_lamp, "the red lamp is lit" .. (by.lit and by.fault and ": " .. fault_text(by.fault) or ""))
  end
  if frame.kind == EVENT and TDP.fault_events[frame.message] then
    tree:add_proto_expert_info(E[TDP.fault_events[frame.message]], by.fault and fault_text(by.fault) or frame.name)
  end
  if by.faults and #by.faults > 0 then
    local found = {}
    for _, item in ipairs(by.faults) do found[#found + 1] = fault_text(item.value) end
    tree:add_proto_expert_info(E.fault, "active: " .. concat(found, ", "))
  end
end

local LABEL = "Table Device Protocol, "

-- What the talk makes of a frame. One that is sealed is opened first, once and in the order of the file; one that was not
-- taken by the other end takes no part.
local function look_at_any(sent, context, number, at)
  local talk = context.talk
  if sent.refused then
    return { number = number, notes = {}, class = talk.class, seal = NOT_TAKEN, seal_why = "the host did not take this frame" }
  elseif not sent.sealed then
    sent.from = sent.from or context.from or context.way
    return look_at(talk, sent, number, at)
  end
  local how, payload, detail, from = open_sealed(talk, sent.from or context.from, sent.decoded)
  from = from or sent.from or context.from
  local frame, seen = sent, nil
  if how == OPENED then
    local clear = string.char(band(sent.flags, 255 - SEALED))
    frame = read_frame(sent.decoded:sub(1, 1) .. clear .. sent.decoded:sub(3, 8) .. payload .. sent.decoded:sub(-4))
  end
  frame.from = frame.from or from or context.way
  if how == OPENED or how == NO_KEY then
    seen = look_at(talk, frame, number, at)
  else
    seen = { number = number, notes = {}, class = talk.class }
  end
  seen.seal, seen.from = how, from
  if how == OPENED then seen.opened, seen.counter = frame.decoded, detail else seen.seal_why = detail end
  return seen
end

-- Show one frame. `seen` is what its talk made of it.
local function show_tdp(each, range, tree, context)
  local sent = read_frame(each.frame)
  local seen = context.seen(function(number, at) return look_at_any(sent, context, number, at) end)
  local frame = seen.opened and read_frame(seen.opened) or sent
  frame.opened = seen.opened ~= nil
  local from = frame.from or seen.from or context.from
  local text = (frame.refused and "Refused on the sealed line: " or "") .. title(frame, seen)
  local item = range and tree:add(tdp, range, LABEL .. text) or tree:add(tdp, LABEL .. text)
  if from then item:add(G.sender, from == "host" and 1 or 0):set_generated() end
  if each.began then item:add(G.began, each.began):set_generated() end
  local tvb = ByteArray.new(each.frame, true):tvb(frame.names .. " without its stuffing")
  if seen.opened then
    add_header(item, sent, tvb)
    add_check(item, sent, tvb, true)
  end
  if not seen.opened then add_frame(item, frame, tvb, seen.class, true) end
  if seen.seal then add_seal(item, sent, tvb, seen) end
  if seen.opened then
    tvb = ByteArray.new(seen.opened, true):tvb(frame.names .. ", opened")
    add_frame(item, frame, tvb, seen.class, true)
  end
  add_links(item, frame, seen)
  add_warnings(item, frame, seen)
  return text, from, #seen.notes > 0 and (seen.retry_of or seen.repeat_of) and "[again] " or ""
end

-- What a frame with a bad check would say. It takes no part in the talk.
local function show_bad_tdp(each, item, context)
  local frame = read_frame(each.frame)
  local seen = context.seen(function() return { notes = {}, class = context.talk.class } end)
  local tvb = ByteArray.new(each.frame, true):tvb(frame.names .. ", bad check, without its stuffing")
  add_frame(item, frame, tvb, seen.class, false)
  return title(frame, seen)
end

-- Bytes that are no frame, the same for all dialects.
local function bytes_text(count) return format("%d byte%s", count, count == 1 and "" or "s") end

local function show_noise(dialect, each, range, tree, context)
  local fields, quiet = dialect.fields, QUIET[each.reason]
  local text = format("%s of %s: %s", bytes_text(each.len), quiet and "idle" or "noise", each.reason)
  local label = dialect.label .. text
  local item = range and tree:add(dialect.proto, range, label) or tree:add(dialect.proto, label)
  if each.began then item:add(fields.began, each.began):set_generated() end
  item:add(quiet and fields.idle or fields.noise, ByteArray.new(each.bytes, true):tvb("Bytes of no frame")())
  if quiet then return "" end
  item:add(fields.reason, each.reason)
  if each.reason ~= "bad check" then
    item:add_proto_expert_info(dialect.experts.noise, text)
    return text
  end
  item:add_proto_expert_info(dialect.experts.check, text)
  local says = each.frame and dialect.show_bad and dialect.show_bad(each, item, context)
  if not says then return text end
  item:append_text("; taken as it is: " .. says)
  return format("%s; taken as it is: %s", text, says)
end

-- The two shoes. A value is handed to Wireshark as it was read: in their bytes it stands beside others.
local function make_fields(abbr, declared)
  local fields = {
    idle = ProtoField.bytes(abbr .. ".idle", "Idle bytes"),
    noise = ProtoField.bytes(abbr .. ".noise", "Noise"),
    reason = ProtoField.string(abbr .. ".noise.reason", "Why they are no frame"),
    began = ProtoField.framenum(abbr .. ".began_in", "Began in packet"),
    goes_on = ProtoField.framenum(abbr .. ".continued_in", "Goes on in packet"),
    given_up = ProtoField.framenum(abbr .. ".given_up_in", "Given up in packet"),
    message = ProtoField.string(abbr .. ".message", "Message"),
    why = ProtoField.string(abbr .. ".why", "Why it cannot be read"),
  }
  for _, each in ipairs(declared) do
    fields[each[1]] = ProtoField[each[2]](abbr .. "." .. each[1], each[3], each[4], each[5])
  end
  return fields
end

local function make_experts(abbr, names)
  local function make(name, text, kind, how) return ProtoExpert.new(abbr .. ".expert." .. name, text, kind, how) end
  local all = {
    check = make("check", "Bad check", group.CHECKSUM, severity.ERROR),
    noise = make("noise", "Noise", group.MALFORMED, severity.WARN),
    unread = make("unread", "Frame that cannot be read", group.MALFORMED, severity.ERROR),
    unknown = make("unknown", "Message this version does not know", group.UNDECODED, severity.NOTE),
    again = make("again", "Sent again", group.SEQUENCE, severity.NOTE),
    refused = make("refused", "Command refused", group.RESPONSE_CODE, severity.WARN),
    fault = make("fault", "Trouble of the shoe", group.RESPONSE_CODE, severity.WARN),
    restart = make("restart", "Device started anew", group.SEQUENCE, severity.NOTE),
  }
  if not names then return all end
  local found = {}
  for _, name in ipairs(names) do found[name] = all[name] end
  return found
end

local function declare(proto, fields, experts)
  proto.fields, proto.experts = in_order(fields), in_order(experts)
end

-- Angel Eye --------------------------------------------------------------

local angel = Proto("angel_eye", "Angel Eye style shoe")
local AF = make_fields("angel_eye", {
  { "kind", "uint8", "Kind", base.HEX, ANGEL.kinds },
  { "sequence", "string", "Sequence" },
  { "letter", "string", "Letter" },
  { "destination", "uint8", "Destination", base.DEC, ANGEL.destinations },
  { "mode", "uint8", "Mode", base.DEC, ANGEL.modes },
  { "ordinal", "uint8", "Ordinal" },
  { "card", "string", "Card" },
  { "winner", "uint8", "Winner", base.DEC, ANGEL.winners },
  { "player_pair", "bool", "Pair of the player" },
  { "banker_pair", "bool", "Pair of the banker" },
  { "error_mode", "bool", "In error mode" },
  { "trouble", "uint8", "Trouble", base.DEC, ANGEL.troubles },
  { "locked", "bool", "Locked" },
  { "address", "string", "Setting" },
  { "value", "string", "Value" },
  { "data", "bytes", "Data" },
  { "answer", "uint8", "Answer", base.HEX, ANGEL.reasons },
  { "text", "string", "Text" },
  { "check", "string", "Check (XOR)" },
})
AF.check_status = ProtoField.uint8("angel_eye.check.status", "Check status", base.DEC, CHECKS)
AF.sender = ProtoField.uint8("angel_eye.sender", "Sender", base.DEC, SENDERS)
AF.repeat_of = ProtoField.framenum("angel_eye.repeat_of", "Sent before in packet", base.NONE, frametype.RETRANS_PREV)
AF.request_in = ProtoField.framenum("angel_eye.request_in", "Request in packet", base.NONE, frametype.REQUEST)
AF.response_in = ProtoField.framenum("angel_eye.response_in", "Response in packet", base.NONE, frametype.RESPONSE)
AF.time = ProtoField.relative_time("angel_eye.response_time", "Response time")
local AE = make_experts("angel_eye")
declare(angel, AF, AE)

local SUITS = { "D", "C", "S", "H" }

local function angel_card(code)
  local suit, rank = math.floor(code / 16), code % 16
  if suit > 4 or rank > 13 then return nil, format("no such card: suit %d, rank %d", suit, rank) end
  if code == 0 then return "--" end
  if suit == 0 or rank == 0 then return "??" end
  return ("A23456789TJQK"):sub(rank, rank) .. SUITS[suit]
end

-- The values of a report, by what its letter says they are: { name, value, first byte, bytes }; or why it cannot be.
local ANGEL_READ = {}

function ANGEL_READ.bare() return {} end

local function drawn(first_name)
  return function(a, b)
    local card, why = angel_card(b)
    if not card then return nil, why end
    return { { first_name, math.floor(a / 16), 0, 1 }, { "ordinal", a % 16, 0, 1 }, { "card", card, 1, 1 } }
  end
end
ANGEL_READ.card, ANGEL_READ.outside = drawn("destination"), drawn("mode")

function ANGEL_READ.result(a)
  return { { "winner", math.floor(a / 16), 0, 1 }, { "player_pair", band(a, 1) == 1, 0, 1 },
    { "banker_pair", band(a, 2) == 2, 0, 1 } }
end
function ANGEL_READ.error(a)
  return { { "error_mode", band(a, 0x40) ~= 0, 0, 1 }, { "trouble", band(a, 0x3F), 0, 1 } }
end
function ANGEL_READ.cleared(a) return { { "trouble", band(a, 0x3F), 0, 1 } } end
function ANGEL_READ.lock(a) return { { "locked", band(a, 1) == 1, 0, 1 } } end

local function read_report(body)
  local letter, data = body:sub(2, 2), body:sub(3)
  local known = ANGEL.letters[letter]
  if not known then
    local values = { { "letter", letter, -1, 1 } }
    if #data > 0 then values[2] = { "data", data, 0, #data } end
    return { name = "UnknownReport", values = values, unknown = true }
  end
  local function wrong(why) return { why = format("report %s: %s", letter, why) } end
  if known.read == "setting" then
    if #data ~= 6 or data:find("[^\32-\126]") then return wrong("it needs six printable characters") end
    return { name = known.name, values = { { "address", data:sub(1, 2), 0, 2 }, { "value", data:sub(3), 2, 4 } } }
  end
  if #data ~= known.size then return wrong(format("%d data bytes instead of %d", #data, known.size)) end
  if data:find("[%z\1-\127]") then return wrong("a binary byte without its top bit") end
  local a, b = data:byte(1, 2)
  local values, why = ANGEL_READ[known.read](a and a - 128, b and b - 128)
  return values and { name = known.name, values = values } or wrong(why)
end

local function read_command(body)
  local kind, digits = body:match("^OP(..)(%d%d)$")
  if kind == "LK" and (digits == "01" or digits == "02") then
    return { name = "Lock", values = { { "locked", digits == "02", 3, 2 } } }
  elseif kind == "EC" then
    return { name = "ClearError", values = { { "trouble", tonumber(digits), 3, 2 } } }
  elseif kind == "GP" and digits == "00" then
    return { name = "AskGame", values = {} }
  elseif kind then
    return { why = "an unknown operation" }
  elseif body:find("[^\32-\126]") then
    return { why = "an answer that is not text" }
  end
  return { name = "Text", values = { { "text", body, -1, #body } } }
end

local function read_angel(frame)
  if frame.start == ANGEL.ACK then return { name = "Acknowledged", values = {} } end
  if frame.start == ANGEL.NAK then return { name = "Rejected", values = { { "answer", frame.body:byte(1), -1, 1 } } } end
  if frame.start == ANGEL.COMMAND then return read_command(frame.body) end
  return read_report(frame.body)
end

local NAMES = { destination = "destinations", mode = "modes", winner = "winners", trouble = "troubles", answer = "reasons" }

local function angel_value(name, value)
  local values = NAMES[name] and ANGEL[NAMES[name]]
  if type(value) == "boolean" then return words(name) .. (value and "" or ": no") end
  if values then return values[value] and words(values[value]) or words(name) .. " " .. value end
  if name == "data" then return hex(value) end
  if name == "ordinal" then return "card " .. value end
  return tostring(value)
end

-- Repeats are the same report, sequence and all, among the last three; an answer is for the last frame the other way.
local function look_at_angel(talk, each, message, number, at, way)
  local seen = { notes = {} }
  local other = way == "sent" and "received" or "sent"
  talk.last = talk.last or {}
  talk.reports = talk.reports or {}
  local start = each.frame.start
  if start == ANGEL.ACK or start == ANGEL.NAK then
    local asked = talk.last[other]
    if asked and not asked.reply then
      asked.reply, seen.request_in, seen.took = number, asked.number, at - asked.at
    end
    return seen
  end
  seen.entry = { number = number, at = at }
  talk.last[way] = seen.entry
  if start == ANGEL.REPORT then
    for _, old in ipairs(talk.reports) do
      if old.bytes == each.bytes then
        seen.repeat_of = old.number
        note(seen, "again", "this report was sent before, with the same bytes")
        return seen
      end
    end
    if message.name == "Started" then
      talk.reports = {}
      note(seen, "restart", "the shoe was started")
    end
    table.insert(talk.reports, 1, { bytes = each.bytes, number = number })
    talk.reports[4] = nil
  end
  return seen
end

local function add_seen(item, fields, experts, seen)
  local function link(field, value) if value then item:add(field, value):set_generated() end end
  link(fields.repeat_of, seen.repeat_of)
  link(fields.request_in, seen.request_in)
  if seen.took then item:add(fields.time, time_of(seen.took)):set_generated() end
  if seen.entry then link(fields.response_in, seen.entry.reply) end
  for _, each in ipairs(seen.notes) do item:add_proto_expert_info(experts[each[1]], each[2]) end
end

local function angel_text(each, message)
  if message.why then return "Cannot be read: " .. message.why end
  local said = {}
  for _, value in ipairs(message.values) do said[#said + 1] = angel_value(value[1], value[2]) end
  local head = each.frame.start == ANGEL.REPORT and format("Report '%s': ", each.frame.body:sub(1, 1)) or ""
  if each.frame.start == ANGEL.COMMAND and message.name ~= "Text" then head = "Command: " end
  return head .. (ANGEL.names[message.name] or message.name) .. (#said > 0 and ": " .. concat(said, ", ") or "")
end

local function show_angel(each, range, tree, context)
  local frame, message = each.frame, read_angel(each.frame)
  local seen = context.seen(function(number, at) return look_at_angel(context.talk, each, message, number, at, context.way) end)
  local text = angel_text(each, message)
  local from = frame.start == ANGEL.REPORT and "device" or context.from
  local item = range and tree:add(angel, range, "Angel Eye style shoe, " .. text) or tree:add(angel, "Angel Eye style shoe, " .. text)
  local tvb = range and range:len() == each.len and range or ByteArray.new(each.bytes, true):tvb("Frame, put together")()
  item:add(AF.sender, from == "host" and 1 or 0):set_generated()
  if each.began then item:add(AF.began, each.began):set_generated() end
  item:add(AF.kind, tvb(0, 1))
  local data = 1
  if frame.start == ANGEL.REPORT then
    item:add(AF.sequence, tvb(1, 1))
    if not message.unknown then item:add(AF.letter, tvb(2, 1)) end
    data = 3
  elseif frame.start == ANGEL.COMMAND and message.name ~= "Text" then
    data = 2
  end
  if message.why then
    item:add(AF.why, message.why)
    if #frame.body > 0 then item:add(AF.data, tvb(1, #frame.body)) end
    item:add_proto_expert_info(AE.unread, message.why)
  else
    item:add(AF.message, ANGEL.names[message.name])
    for _, value in ipairs(message.values) do
      local at = value[3] < 0 and (message.unknown and 2 or 1) or data + value[3]
      local where = tvb(at, value[4])
      if value[1] == "data" then item:add(AF.data, where) else item:add(AF[value[1]], where, value[2]) end
    end
    if message.name == "ErrorRaised" then item:add_proto_expert_info(AE.fault, text) end
    if message.name == "Rejected" then item:add_proto_expert_info(AE.refused, text) end
    if message.unknown then item:add_proto_expert_info(AE.unknown, text) end
  end
  if frame.check then
    local check = item:add(AF.check, tvb(each.len - 2, 2)):append_text(" [correct]")
    check:add(AF.check_status, 1):set_generated()
  end
  add_seen(item, AF, AE, seen)
  return text, from, seen.repeat_of and "[again] " or ""
end

-- Bee-Tek ----------------------------------------------------------------

local bee = Proto("bee_tek", "Bee-Tek style shoe")
local BF = make_fields("bee_tek", {
  { "mode", "string", "Mode" },
  { "item", "string", "Item" },
  { "card", "string", "Card" },
  { "alarm", "string", "Alarm" },
  { "words", "string", "Words" },
  { "warning", "uint32", "Warning", base.HEX },
})
local BEX = make_experts("bee_tek", { "noise", "unread", "unknown", "fault" })
declare(bee, BF, BEX)

local function read_alarm(rest)
  local letter, digits, after = rest:match("^(%a)(%d+)(.*)$")
  if letter and #digits <= 3 and not after:find("^[%w_]") then
    return letter:upper() .. digits, (after:gsub("^ +", ""))
  end
  return "", (rest:gsub("^ +", ""))
end

local function read_bee(frame)
  local mode, item = frame.mode, frame.item
  local number = item:match("^[wW]0[xX](%x+)$")
  if number and #number <= 8 then
    return { name = "Warned", values = { { "warning", tonumber(number, 16), number } } }
  end
  if mode == "" then return { why = "an item without its mode" } end
  local word, rest = item:match("^([^:]*):(.*)$")
  if word and word:lower() == "alarm" then
    local code, said = read_alarm(rest)
    return { name = "Alarm", values = { { "alarm", code, code }, { "words", said, said } } }
  end
  if word and word:lower() == "card" then
    local text = rest:match("^ *(.-) *$")
    if text == "" then return { name = "CardNotRead", values = {} } end
    local rank, suit = text:upper():match("^(1?[02-9TJQKA])([CDHS])$")
    if not rank or rank == "0" or #rank == 2 and rank ~= "10" then return { why = format("no such card: '%s'", rest) } end
    return { name = "CardDrawn", values = { { "card", (rank == "10" and "T" or rank) .. suit, text } } }
  end
  if item:find("^ *$") or item:lower() == "game" then return { name = "CardNotRead", values = {} } end
  return { name = "UnknownItem", values = {} }
end

local function bee_text(frame, message)
  local mode = frame.mode ~= "" and " (" .. frame.mode .. ")" or ""
  if message.why then return "Cannot be read: " .. message.why end
  if message.name == "Warned" then return format("Warning %X%s", message.values[1][2], mode) end
  if message.name == "Alarm" then return "Alarm " .. message.values[1][2] .. " " .. message.values[2][2] .. mode end
  if message.name == "CardDrawn" then return "Card drawn: " .. message.values[1][2] .. mode end
  if message.name == "CardNotRead" then return "Card drawn, not read" .. mode end
  return "Item: " .. frame.item .. mode
end

local function show_bee(each, range, tree, context)
  local frame, message = each.frame, read_bee(each.frame)
  context.seen(function() return { notes = {} } end)
  local text = bee_text(frame, message)
  local label = "Bee-Tek style shoe, " .. text
  local item = range and tree:add(bee, range, label) or tree:add(bee, label)
  local tvb = range and range:len() == each.len and range or ByteArray.new(each.bytes, true):tvb("Item, put together")()
  if each.began then item:add(BF.began, each.began):set_generated() end
  if frame.mode ~= "" then item:add(BF.mode, tvb(1, #frame.mode)) end
  if not message.why then item:add(BF.message, BEE.names[message.name]) end
  local words_of = frame.item ~= "" and item:add(BF.item, tvb(frame.begin + 1, #frame.item)) or item
  if message.why then
    item:add(BF.why, message.why)
    item:add_proto_expert_info(BEX.unread, message.why)
  else
    for _, value in ipairs(message.values) do
      local at = value[3] ~= "" and frame.item:lower():find(value[3]:lower(), 1, true)
      if at then
        words_of:add(BF[value[1]], tvb(frame.begin + at, #value[3]), value[2])
      else
        words_of:add(BF[value[1]], value[2])
      end
    end
    if message.name == "Alarm" or message.name == "Warned" then item:add_proto_expert_info(BEX.fault, text) end
    if message.name == "UnknownItem" then item:add_proto_expert_info(BEX.unknown, text) end
  end
  return text, "device", ""
end

-- Where the bytes come from, and which dialect they are.
local DIALECTS = {
  tdp = { name = "tdp", proto = tdp, fields = G, experts = E, label = LABEL, column = "TDP", cut = cut_tdp,
    give_up = give_up_tdp, silence = TDP.partial_s, show = show_tdp, show_bad = show_bad_tdp },
  ["angel-eye"] = { name = "angel-eye", proto = angel, fields = AF, experts = AE, label = "Angel Eye style shoe, ",
    column = "Angel Eye", cut = cut_angel_eye, give_up = give_up, silence = ANGEL.partial_s, show = show_angel },
  ["bee-tek"] = { name = "bee-tek", proto = bee, fields = BF, experts = BEX, label = "Bee-Tek style shoe, ",
    column = "Bee-Tek", cut = cut_bee_tek, give_up = give_up, silence = BEE.partial_s, show = show_bee },
}

local interface_id, interface_name = Field.new("frame.interface_id"), Field.new("frame.interface_name")
local interface_description = Field.new("frame.interface_description")
local comment, tcp_stream = Field.new("frame.comment"), Field.new("tcp.stream")
local usb_bus, usb_device = Field.new("usb.bus_id"), Field.new("usb.device_address")

local function value_of(field)
  local found = field()
  return found and found.value
end

local function show_pieces(dialect, record, tvb, pinfo, tree, line)
  local said, from = {}, nil
  local seen, name_of = seen_of(record, pinfo, line)
  local talk = talk_of(line.key)
  for index, each in ipairs(record.pieces) do
    local first = math.max(each.at, 0)
    local range = not each.before and tvb and each.at + each.len > first and tvb(first, each.at + each.len - first) or nil
    local text
    local context = { talk = talk, way = line.way, from = line.from, seen = function(look)
      local name = name_of(index, each)
      if not seen[name] then seen[name] = look(pinfo.number, now_of(pinfo)) end
      return seen[name]
    end }
    if each.frame and not each.reason then
      local again, sender
      text, sender, again = dialect.show(each, range, tree, context)
      text, from = again .. text, sender or from
    else
      text = show_noise(dialect, each, range, tree, context)
    end
    if text ~= "" then said[#said + 1] = text end
  end
  return said, from
end

local function show_rest(dialect, record, tvb, tree)
  local count = math.min(record.held, tvb:len())
  local label = bytes_text(count) .. (record.idle and " of idle, or where a frame begins"
    or record.given_up and " of a frame that never ended" or " of a frame that is not whole yet")
  local item = tree:add(dialect.proto, tvb(tvb:len() - count, count), dialect.label .. label)
  if record.goes_on then item:add(dialect.fields.goes_on, record.goes_on):set_generated() end
  if record.given_up and not record.idle then item:add(dialect.fields.given_up, record.given_up):set_generated() end
  return record.idle and "idle" or label
end

local function set_columns(dialect, pinfo, line, said, from)
  pinfo.cols.protocol = dialect.column
  pinfo.cols.info = concat(said, " | ")
  if line.name then
    local host = (from or line.from) == "host"
    pinfo.cols.src = host and "host" or line.name
    pinfo.cols.dst = host and line.name or "host"
  end
end

local function dissect(dialect, tvb, pinfo, tree, line)
  local record = (line.whole and pieces_of_tcp or pieces_of)(dialect, tvb:raw(), pinfo, line)
  local said, from = show_pieces(dialect, record, tvb, pinfo, tree, line)
  if record.held > 0 and not line.whole then
    local rest = show_rest(dialect, record, tvb, tree)
    if #said == 0 then said[1] = rest end
  end
  -- Of a segment in which nothing ends, TCP itself says what it is.
  if #said == 0 and record.held > 0 and line.whole then return record.held end
  if #said == 0 then said[1] = "idle" end
  set_columns(dialect, pinfo, line, said, from)
  return record.held
end

-- A note of the recorder, in the packet's comment.
local function dissect_note(dialect, pinfo, tree, line)
  local text = value_of(comment) or "status of the line"
  tree:add(dialect.proto, dialect.label .. "note of the recorder: " .. text)
  local said = show_pieces(dialect, end_line(dialect, pinfo, line), nil, pinfo, tree, line)
  table.insert(said, 1, "Note: " .. text)
  set_columns(dialect, pinfo, line, said, nil)
end

-- Which dialect an interface's description names: `dialect=tdp` among its words.
local function described()
  local text = value_of(interface_description)
  local name = text and (" " .. text):match(" '?dialect='?([%w-]+)")
  return name and DIALECTS[name]
end

local function serial_line(pinfo, sent)
  if pinfo.p2p_dir == 0 then sent = true elseif pinfo.p2p_dir == 1 then sent = false end
  local name = value_of(interface_name)
  return { key = "line " .. tostring(value_of(interface_id) or 0), way = sent and "sent" or "received",
    from = sent and "host" or "device", name = name or "device" }
end

-- The dialect's own dissector is called through Wireshark, which then names it beside what it finds.
local handed

local function hand_over(dialect, tvb, pinfo, tree, line)
  handed = line
  Dissector.get(dialect.proto.name:lower()):call(tvb, pinfo, tree)
  handed = nil
end

local rtac = DissectorTable.get("wtap_encap"):get_dissector(wtap.RTAC_SERIAL or 153)
local lines = Proto("dealwire", "Line of a card device")
local LF = { line = ProtoField.string("dealwire.line", "Line"), dialect = ProtoField.string("dealwire.dialect", "Dialect") }
lines.fields = in_order(LF)

local function show_line(dialect, tree, line)
  local item = tree:add(lines, format("Line of a card device: %s, %s", line.name, dialect.name)):set_generated()
  item:add(LF.line, line.name):set_generated()
  item:add(LF.dialect, dialect.name):set_generated()
end

-- A serial line as dealwire records it. One whose description names no dialect of ours stays what it was.
function lines.dissector(tvb, pinfo, tree)
  local dialect = described()
  if not dialect or tvb:len() < 12 then return rtac:call(tvb, pinfo, tree) end
  rtac:call(tvb(0, 12):tvb(), pinfo, tree)
  local event = tvb(8, 1):uint()
  local line = serial_line(pinfo, band(event, 1) == 1)
  show_line(dialect, tree, line)
  if tvb:len() == 12 then
    dissect_note(dialect, pinfo, tree, line)
  else
    hand_over(dialect, tvb(12):tvb(), pinfo, tree, line)
  end
  return tvb:len()
end
lines.init = begin_again
DissectorTable.get("wtap_encap"):set(wtap.RTAC_SERIAL or 153, lines)

-- The same for a capture of link type 147 whose interface names its dialect.
local user = Proto("dealwire_user", "Bytes of a card device")
local user_before = DissectorTable.get("wtap_encap"):get_dissector(wtap.USER0 or 45)
function user.dissector(tvb, pinfo, tree)
  local dialect = described()
  if dialect then
    local line = serial_line(pinfo, false)
    show_line(dialect, tree, line)
    hand_over(dialect, tvb, pinfo, tree, line)
    return tvb:len()
  end
  return user_before and user_before:call(tvb, pinfo, tree) or 0
end
DissectorTable.get("wtap_encap"):set(wtap.USER0 or 45, user)

local TCP = 2

local function dissect_anywhere(dialect, tvb, pinfo, tree)
  if tvb:len() == 0 then return 0 end
  if handed then
    dissect(dialect, tvb, pinfo, tree, handed)
    return tvb:len()
  end
  if pinfo.port_type ~= TCP then
    local bus = value_of(usb_bus)
    local line = serial_line(pinfo, false)
    if bus then
      line.key, line.name = format("usb %s.%s", tostring(bus), tostring(value_of(usb_device))), nil
    end
    dissect(dialect, tvb, pinfo, tree, line)
    return tvb:len()
  end
  -- Wireshark itself puts TCP together: it is told where the unfinished frame begins and keeps it for us.
  local talk = talk_of("tcp " .. tostring(value_of(tcp_stream)))
  local way = tostring(pinfo.src_port)
  local line = { key = "tcp " .. tostring(value_of(tcp_stream)), way = way, whole = true, from = talk.ways and talk.ways[way] }
  -- Where a person has switched that off, what is cut is put together here, in the order in which it came.
  if pinfo.can_desegment == 0 then
    line.whole, line.patient, line.way = nil, true, way .. " by itself"
  end
  local held = dissect(dialect, tvb, pinfo, tree, line)
  if held > 0 and line.whole then
    pinfo.desegment_offset = tvb:len() - held
    pinfo.desegment_len = DESEGMENT_ONE_MORE_SEGMENT
  end
  return tvb:len()
end

function tdp.dissector(tvb, pinfo, tree) return dissect_anywhere(DIALECTS.tdp, tvb, pinfo, tree) end
function angel.dissector(tvb, pinfo, tree) return dissect_anywhere(DIALECTS["angel-eye"], tvb, pinfo, tree) end
function bee.dissector(tvb, pinfo, tree) return dissect_anywhere(DIALECTS["bee-tek"], tvb, pinfo, tree) end

-- Bytes that begin with a whole frame of version 1, without flags or sealed, its check good: nothing else looks so.
local function looks_like_tdp(tvb)
  if tvb:len() < TDP.min_frame + 2 then return false end
  local text = tvb:raw(0, math.min(tvb:len(), TDP.max_encoded + 2)):gsub("^%z", "")
  local begins = text:sub(1, 2) == "\2\1" or text:sub(2, 3) == "\1\128"
  local zero = begins and text:find("\0", 1, true)
  return zero and judge(text:sub(1, zero - 1)) == nil
end

local claimed = {}

local function guess_tcp(tvb, pinfo, tree)
  if not looks_like_tdp(tvb) then return false end
  pinfo.conversation = tdp
  dissect_anywhere(DIALECTS.tdp, tvb, pinfo, tree)
  return true
end

-- A transfer may begin in the middle of a frame: a device that was recognised stays so.
local function guess_usb(tvb, pinfo, tree)
  local key = format("%s.%s", tostring(value_of(usb_bus)), tostring(value_of(usb_device)))
  if not claimed[key] and not looks_like_tdp(tvb) then return false end
  claimed[key] = true
  dissect_anywhere(DIALECTS.tdp, tvb, pinfo, tree)
  return true
end
tdp:register_heuristic("tcp", guess_tcp)
pcall(function() tdp:register_heuristic("usb.bulk", guess_usb) end)
function tdp.init()
  claimed = {}
  key_log.vain = 0
  key_log.read()
end

-- Ports of serial servers that a person names once in the preferences, instead of Decode As in every file.
local function take_ports(proto, changed)
  local table, taken = DissectorTable.get("tcp.port"), ""
  proto.prefs.ports = Pref.range("TCP ports", "", "Ports of devices and serial servers, such as 4001,7001-7002", 65535)
  function proto.prefs_changed()
    if taken ~= "" then table:remove(taken, proto) end
    taken = tostring(proto.prefs.ports)
    if taken ~= "" then table:add(taken, proto) end
    if changed then changed() end
  end
end

tdp.prefs.keylog = Pref.string("Key log", "", "File with the keys of sealed lines, as a host writes it ([lines] key-log)")
local function take_key_log()
  if key_log.path == tdp.prefs.keylog then return end
  key_log.path = tdp.prefs.keylog
  key_log.read()
end

for _, dialect in pairs(DIALECTS) do
  DissectorTable.get("tcp.port"):add_for_decode_as(dialect.proto)
  DissectorTable.get("rtacser.data"):add_for_decode_as(dialect.proto)
  take_ports(dialect.proto, dialect.proto == tdp and take_key_log)
end
