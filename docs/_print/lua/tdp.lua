local tdp = Proto("tdp", "Table Device Protocol")
local T = {}   -- fields of the declarations, by key
local G = {    -- fields of this dissector's own
  check = ProtoField.uint32("tdp.check", "Check (CRC-32)", base.HEX),
  payload = ProtoField.bytes("tdp.payload", "Payload"),
  extension = ProtoField.none("tdp.extension", "Extension"),
  extension_type = ProtoField.uint8("tdp.extension.type", "Type", base.HEX, TDP.extensions),
  extension_length = ProtoField.uint8("tdp.extension.length", "Length"),
  extension_value = ProtoField.bytes("tdp.extension.value", "Value"),
  noise = ProtoField.bytes("tdp.noise", "Bytes"),
  reason = ProtoField.string("tdp.noise.reason", "Why they are no frame"),
  began = ProtoField.framenum("tdp.began_in", "Began in packet"),
  goes_on = ProtoField.framenum("tdp.continued_in", "Goes on in packet"),
  response_in = ProtoField.framenum("tdp.response_in", "Response in packet", base.NONE, frametype.RESPONSE),
  request_in = ProtoField.framenum("tdp.request_in", "Request in packet", base.NONE, frametype.REQUEST),
  caused = ProtoField.framenum("tdp.event_in", "Event it caused in packet"),
  time = ProtoField.relative_time("tdp.response_time", "Response time"),
  retry_of = ProtoField.framenum("tdp.retry_of", "Sent first in packet", base.NONE, frametype.RETRANS_PREV),
  repeat_of = ProtoField.framenum("tdp.repeat_of", "Sent before in packet", base.NONE, frametype.RETRANS_PREV),
  ack_in = ProtoField.framenum("tdp.ack_in", "Acknowledged in packet", base.NONE, frametype.ACK),
  sender = ProtoField.string("tdp.sender", "Sent by"),
  link = ProtoField.string("tdp.link_state", "Session"),
}
for _, each in ipairs(TDP.fields) do
  local key, abbr, label, kind, values, about = each[1], each[2], each[3], each[4], each[5], each[6]
  local make = ProtoField[kind]
  if kind == "none" then
    T[key] = make(abbr, label, about)
  elseif kind == "bool" then
    T[key] = make(abbr, label, each.width, { "yes", "no" }, each.mask, about)
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
  restart = { "Device started anew", group.SEQUENCE, severity.NOTE },
  nak = { "Frame of no use", group.RESPONSE_CODE, severity.WARN },
  refused = { "Command refused", group.RESPONSE_CODE, severity.WARN },
  red_lamp = { "Red lamp", group.RESPONSE_CODE, severity.WARN },
  misdeal = { "Misdeal", group.RESPONSE_CODE, severity.ERROR },
  fault = { "Fault", group.RESPONSE_CODE, severity.WARN },
}) do
  E[name] = ProtoExpert.new("tdp.expert." .. name, each[1], each[2], each[3])
end
tdp.fields, tdp.experts = {}, {}
do
  local fields, experts = {}, {}
  for _, each in pairs(T) do fields[#fields + 1] = each end
  for _, each in pairs(G) do fields[#fields + 1] = each end
  for _, each in pairs(E) do experts[#experts + 1] = each end
  tdp.fields, tdp.experts = fields, experts
end

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

-- Reading a payload: what is in it, as values with their place in the decoded frame; or why it does not fit.
local function read_fixed(frame, layout)
  local at = 8
  for _, field in ipairs(layout.fields) do
    if field.shape == "list" then break end
    local value
    if field.shape == "u" then
      value = field.size < 8 and number_le(frame.decoded, at + 1, field.size) or false
    else
      value = frame.decoded:sub(at + 1, at + field.size)
      if field.shape == "text" then
        value = value:gsub("%z+$", "")
        if value:find("[\128-\255]") then return nil, field.name .. " is not ASCII" end
      end
    end
    frame.values[#frame.values + 1] = { field = field, at = at, size = field.size, value = value }
    frame.by_name[field.name] = value
    at = at + field.size
  end
  return at
end

local function read_list(frame, field, at, last)
  if at >= last then return nil, field.name .. " is missing" end
  local count = frame.decoded:byte(at + 1)
  local stop = at + 1 + count * field.size
  if stop > last then return nil, format("%s counts %d, more than the payload holds", field.name, count) end
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
  return stop
end

local function read_extensions(frame, at, last)
  while at < last do
    local stop = at + 2 <= last and at + 2 + frame.decoded:byte(at + 2) or last + 1
    if stop > last then return format("%d bytes at the end are no whole extension", last - at) end
    local value = frame.decoded:sub(at + 3, stop)
    frame.extensions[#frame.extensions + 1] = { at = at, size = stop - at }
    if frame.decoded:byte(at + 1) == 1 and #value == 4 then frame.old_session = number_le(value, 1, 4) end
    at = stop
  end
end

local function read_payload(frame, layout)
  local last = #frame.decoded - 4
  if last - 8 < layout.fixed then
    return format("%d bytes where at least %d are needed", last - 8, layout.fixed)
  end
  local at, why = read_fixed(frame, layout)
  if not at then return why end
  for _, field in ipairs(layout.fields) do
    if field.shape == "list" then
      at, why = read_list(frame, field, at, last)
      if not at then return why end
    end
  end
  return read_extensions(frame, at, last)
end

local FROM_HOST = { [COMMAND] = true, [ACK] = true }

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
  if frame.layout then
    frame.why = read_payload(frame, frame.layout)
    frame.name = frame.layout.name
  end
  frame.unreadable = frame.why ~= nil or not frame.layout
  local from = frame.layout and frame.layout.sender
  frame.from = from or FROM_HOST[frame.kind] and "host" or "device"
  if frame.kind == NAK or not frame.layout then frame.from = nil end
  if frame.unreadable then return frame end
  local by = frame.by_name
  frame.hello = frame.kind == LINK and frame.message == 1
  frame.hello_reply = frame.kind == LINK and frame.message == 2
  frame.begins = frame.hello or frame.hello_reply
  frame.names_session = frame.hello_reply or by.last_event ~= nil
  frame.session, frame.number, frame.up_to = by.session, frame.kind == EVENT and by.number or nil, by.up_to
  frame.done = frame.kind == REPLY and by.status == 1
  frame.role = frame.kind == COMMAND and by.role or nil
  if STATES[math.floor(frame.message / 256)] then frame.class = math.floor(frame.message / 256) end
  if frame.hello_reply and STATES[by.device_class] then frame.class = by.device_class end
  return frame
end

local function state_field(field, class)
  local values = field.by_class and STATES[class or 0]
  if not values then return field end
  return { name = field.name, label = field.label, values = values, size = field.size, key = field.key }
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

local function title(frame, seen)
  local what = frame.names
  local request = frame.request ~= 0 and " " .. frame.request or ""
  if not frame.layout then
    return format("%s, kind %d: not known to version %s", what, frame.kind, TDP.version_text)
  end
  if frame.why then return format("%s that cannot be read: %s", what, frame.why) end
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
    inner:add(T[field.key .. "#"], tvb(entry.at, 1))
    for _, item in ipairs(entry.items) do
      if field.parts then
        local row = inner:add(T[field.key .. "@"], tvb(item.at, item.size))
        local said = {}
        for _, part in ipairs(item) do
          row:add_le(T[part.field.key], tvb(part.at, part.size))
          said[#said + 1] = words(part.field.name) .. " " .. part.value
        end
        row:set_text(concat(said, ", "))
      else
        local leaf = inner:add_le(T[field.key .. "*"], tvb(item.at, item.size))
        leaf:set_text(spoken(field, item.value))
      end
    end
    return
  end
  if field.shape == "text" then
    tree:add(T[field.key], range, entry.value)
    return
  elseif field.shape ~= "u" then
    tree:add(T[field.key], range)
    return
  end
  local leaf = tree:add_le(T[field.key], range)
  local now = state_field(field, class)
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

local function add_frame(tree, frame, tvb, class)
  local kind = TDP.values.Kind[frame.kind]
  local header = tree:add(tdp, tvb(0, 8), format("Header: %s frame, link sequence %d%s", kind and words(kind) or "kind " .. frame.kind,
    frame.sequence, frame.request ~= 0 and ", request " .. frame.request or ""))
  for _, field in ipairs(TDP.header) do
    local range = tvb(field.at, field.size)
    local leaf = header:add_le(T[field.key], range)
    if field.name == "link_sequence" then leaf:append_text(" (counts the frames of this side, modulo 256)") end
  end
  local last = #frame.decoded - 4
  if frame.unreadable then
    if last > 8 then tree:add(G.payload, tvb(8, last - 8)) end
  else
    for _, entry in ipairs(frame.values) do add_value(tree, entry, tvb, class) end
    for _, each in ipairs(frame.extensions) do
      local inner = tree:add(G.extension, tvb(each.at, each.size))
      inner:set_text("Extension")
      inner:add(G.extension_type, tvb(each.at, 1))
      inner:add(G.extension_length, tvb(each.at + 1, 1))
      if each.size > 2 then inner:add(G.extension_value, tvb(each.at + 2, each.size - 2)) end
    end
  end
  tree:add_le(G.check, tvb(last, 4)):append_text(" good")
end

local function add_links(tree, seen)
  local function link(field, value) if value then tree:add(field, value):set_generated() end end
  link(G.retry_of, seen.retry_of)
  link(G.repeat_of, seen.repeat_of)
  link(G.request_in, seen.request_in)
  if seen.took then tree:add(G.time, time_of(seen.took)):set_generated() end
  if seen.entry then
    link(G.response_in, seen.entry.reply)
    for _, number in ipairs(seen.entry.events or {}) do link(G.caused, number) end
  end
  if seen.event then link(G.ack_in, seen.event.ack) end
  if seen.session then
    local role = seen.role and TDP.values.Role[seen.role]
    local state = role and "opened to " .. words(role) or "not seen to be opened"
    tree:add(G.link, format("%08X, %s", seen.session, state)):set_generated()
  end
end

local function add_warnings(tree, frame, seen)
  for _, each in ipairs(seen.notes) do tree:add_proto_expert_info(E[each[1]], each[2]) end
  local by = frame.by_name
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

-- Show one frame. `seen` is what its talk made of it.
local function show_tdp(each, range, tree, context)
  local frame = read_frame(each.frame)
  local from = frame.from or context.from
  frame.from = frame.from or context.from or context.way
  local seen = context.seen(function(number, at) return look_at(context.talk, frame, number, at) end)
  local text = title(frame, seen)
  local item = range and tree:add(tdp, range, LABEL .. text) or tree:add(tdp, LABEL .. text)
  if from then item:add(G.sender, from == "host" and "the host" or "the device"):set_generated() end
  if each.began then item:add(G.began, each.began):set_generated() end
  local tvb = ByteArray.new(each.frame, true):tvb(frame.names .. " without its stuffing")
  add_frame(item, frame, tvb, seen.class)
  add_links(item, seen)
  add_warnings(item, frame, seen)
  return text, from, #seen.notes > 0 and (seen.retry_of or seen.repeat_of) and "[again] " or ""
end
