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
