-- Sealed lines. The host writes the keys of each handshake to a file, if it is asked to; a frame is opened with them as the
-- other end opens it: keys of the newest call first, a counter of which the frame has the low byte, each counter once.
local SEALED, REFUSED = 0x80, 0x40
local OPENED, NO_KEY, UNOPENED, SENT_AGAIN, NOT_TAKEN = 1, 2, 3, 4, 5
local key_log = { path = "", keys = {}, order = {}, vain = 0 }

do
  local LINE = "^TDP%-SEAL (" .. ("%x"):rep(64) .. ") (" .. ("%x"):rep(64) .. ") (" .. ("%x"):rep(64) .. ")%s*$"
  local function unhex(text) return (text:gsub("%x%x", function(two) return string.char(tonumber(two, 16)) end)) end

  -- Read the file again: a host appends to it meanwhile. What is wrong with it is in `why`.
  function key_log.read()
    local before = #key_log.order
    key_log.keys, key_log.order, key_log.why, key_log.vain = {}, {}, nil, key_log.vain + 1
    if key_log.path == "" then return end
    local file, problem = io.open(key_log.path, "r")
    if not file then key_log.why = "the key log cannot be read: " .. problem return end
    local number = 0
    for line in file:lines() do
      number = number + 1
      local call, out, into = line:match(LINE)
      if call then
        local keys = { host = unhex(out), device = unhex(into), turn = number }
        key_log.keys[unhex(call)] = keys
        table.insert(key_log.order, 1, keys)
      elseif line:find("^TDP%-SEAL") then
        key_log.why = format("line %d of the key log is not TDP-SEAL and three keys of 64 hexadecimal digits", number)
      end
    end
    file:close()
    if #key_log.order ~= before then key_log.vain = 0 end
    if number > 0 and #key_log.order == 0 then key_log.why = key_log.why or "the key log has no key of a sealed line" end
  end
end

local WINDOW = 64
local PENDING = 8      -- calls, at most, whose keys may still come
local READS = 200      -- of the file in which nothing new was, at most
local SEARCHES = 3     -- of a line whose call is not in the capture, at most, in each direction
local SEARCHED = 1024  -- counters tried in one of them

local function seal_of(talk)
  if not talk.seal then talk.seal = { sets = {}, known = {}, pending = {}, first = { host = 1, device = 1 }, searches = { host = 0, device = 0 } } end
  return talk.seal
end

-- Keys are as old as their line in the file: an earlier call, sent again by someone, is not taken for a new one.
local function add_set(seal, keys)
  local newest = seal.sets[#seal.sets]
  if newest and newest.keys.turn >= keys.turn then return nil end
  seal.sets[#seal.sets + 1] = { keys = keys, top = {}, opened = { host = {}, device = {} } }
  return #seal.sets
end

local function take_keys(seal)
  for at = #seal.pending, 1, -1 do
    if key_log.keys[seal.pending[at]] then
      local later = {}
      for index = at + 1, #seal.pending do later[#later + 1] = seal.pending[index] end
      add_set(seal, key_log.keys[seal.pending[at]])
      seal.pending = later -- calls before it got no answer, or an older one
      return true
    end
  end
end

-- A call in clear: the keys of its answer are in the file under its ephemeral key, later if the capture is live.
local function take_call(talk, ephemeral)
  local seal = seal_of(talk)
  if seal.known[ephemeral] then return end
  seal.known[ephemeral] = true
  table.insert(seal.pending, ephemeral)
  take_keys(seal)
  if #seal.pending > PENDING then table.remove(seal.pending, 1) end
end

-- An answer without its call in the capture: it may be on a line of its own, and new keys begin.
local function take_answer_alone(talk)
  local seal = seal_of(talk)
  if not next(seal.known) then seal.searches = { host = 0, device = 0 } end
end

local function try(keys, from, counter, decoded)
  local low, high = counter % 4294967296, math.floor(counter / 4294967296)
  local nonce = { "\0\0\0\0" }
  for _, half in ipairs({ low, high }) do
    for _ = 1, 4 do
      nonce[#nonce + 1] = string.char(half % 256)
      half = math.floor(half / 256)
    end
  end
  return open_aead(keys[from], concat(nonce), decoded:sub(1, 8), decoded:sub(9, -5))
end

-- Open under one set of keys; gives the payload and its counter, or nil and whether it was opened before.
local function open_under(set, from, decoded)
  local sequence, top = decoded:byte(4), set.top[from]
  local counter = sequence
  if top then
    local ahead = (sequence - top + 128) % 256 - 128
    counter = top + ahead
    if counter < 0 or ahead <= -WINDOW then return nil end
    if set.opened[from][counter] then return nil, set.opened[from][counter] == decoded end
  end
  local payload = try(set.keys, from, counter, decoded)
  if not payload then return nil end
  set.top[from] = math.max(top or counter, counter)
  set.opened[from][counter] = decoded
  set.opened[from][counter - WINDOW * 2] = nil
  return payload, counter
end

-- The capture begins after the call: try the keys of the file, newest first, with every counter that a while can have.
local function search(seal, from, decoded)
  seal.searches[from] = seal.searches[from] + 1
  if key_log.vain < READS then key_log.read() end
  for round = 0, math.floor(SEARCHED / math.max(#key_log.order, 1)) do
    for index = 1, math.min(#key_log.order, SEARCHED) do
      local keys, counter = key_log.order[index], decoded:byte(4) + 256 * round
      local payload = try(keys, from, counter, decoded)
      if payload then
        local at
        for number, set in ipairs(seal.sets) do at = set.keys.turn == keys.turn and number or at end
        at = at or add_set(seal, keys)
        local set = seal.sets[at or 0]
        if not set or at < seal.first[from] or counter <= (set.top[from] or -1) then return nil end -- an old one, sent again
        set.top[from], set.opened[from][counter], seal.first[from] = counter, decoded, at
        return payload, counter
      end
    end
  end
end

-- What a sealed frame of this sender holds: how it went, and the payload and its counter, or why not.
local function open_from(talk, from, decoded)
  local seal = seal_of(talk)
  if #seal.pending > 0 and not take_keys(seal) and key_log.path ~= "" and key_log.vain < READS then
    key_log.read()
    take_keys(seal)
  end
  local again
  for index = #seal.sets, seal.first[from], -1 do
    local payload, counter = open_under(seal.sets[index], from, decoded)
    if payload then
      seal.first[from] = index
      return OPENED, payload, counter
    end
    again = again or counter
  end
  if again then return SENT_AGAIN, nil, "it was sent before; the other end does not take it again" end
  if not next(seal.known) and key_log.path ~= "" and seal.searches[from] < SEARCHES then
    local payload, counter = search(seal, from, decoded)
    if payload then return OPENED, payload, counter end
  end
  if key_log.path == "" then return NO_KEY, nil, "no key log is set in the preferences" end
  local set = seal.sets[#seal.sets]
  if #seal.pending > 0 or not set then
    return NO_KEY, nil, key_log.why or (next(seal.known) and "the key log has no keys of this line's call")
      or "the call is not in this capture, and no key of the key log opens the frame"
  end
  if not set.top.host and not set.top.device then
    return UNOPENED, nil, "the keys that the key log has for this line's call are wrong, or the frame was altered"
  end
  return UNOPENED, nil, "the frame was altered, or is none of the other end"
end

-- As `open_from`, where the sender may not be known: the frame opens in one direction only.
local function open_sealed(talk, from, decoded)
  if from then return open_from(talk, from, decoded) end
  local how, payload, counter
  for _, each in ipairs({ "host", "device" }) do
    how, payload, counter = open_from(talk, each, decoded)
    if how == OPENED or how == SENT_AGAIN then return how, payload, counter, each end
  end
  return how, payload, counter
end
