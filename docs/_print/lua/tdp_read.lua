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
