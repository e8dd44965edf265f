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
