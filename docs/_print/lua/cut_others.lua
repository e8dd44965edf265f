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
