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
