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
