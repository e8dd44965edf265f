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
