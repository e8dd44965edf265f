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
