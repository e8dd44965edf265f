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
