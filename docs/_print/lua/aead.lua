-- ChaCha20-Poly1305 (RFC 8439), only the way back: Wireshark's Lua has no ciphers. `open_aead` gives nil for a wrong tag.
local open_aead
do
  local rol = bits.lrotate or bits.rol or load("return function(a, n) a = a & 0xFFFFFFFF return a << n | a >> (32 - n) end")()
  local WORD = 4294967296

  local function block(key, counter, nonce)
    local start = { 0x61707865, 0x3320646E, 0x79622D32, 0x6B206574, [13] = counter }
    for i = 0, 7 do start[5 + i] = number_le(key, 1 + 4 * i, 4) end
    for i = 0, 2 do start[14 + i] = number_le(nonce, 1 + 4 * i, 4) end
    local x = {}
    for i = 1, 16 do x[i] = start[i] end
    local function quarter(a, b, c, d)
      local A, B, C, D = x[a], x[b], x[c], x[d]
      A = (A + B) % WORD D = rol(bxor(D, A), 16)
      C = (C + D) % WORD B = rol(bxor(B, C), 12)
      A = (A + B) % WORD D = rol(bxor(D, A), 8)
      C = (C + D) % WORD B = rol(bxor(B, C), 7)
      x[a], x[b], x[c], x[d] = A, B, C, D
    end
    for _ = 1, 10 do
      for i = 1, 4 do quarter(i, i + 4, i + 8, i + 12) end
      for i = 0, 3 do quarter(1 + i, 5 + (i + 1) % 4, 9 + (i + 2) % 4, 13 + (i + 3) % 4) end
    end
    local out = {}
    for i = 1, 16 do
      local word = (x[i] + start[i]) % WORD
      out[i] = string.char(word % 256, math.floor(word / 256) % 256, math.floor(word / 65536) % 256, math.floor(word / 16777216))
    end
    return concat(out)
  end

  local function xored(text, key, nonce)
    local out = {}
    for at = 1, #text, 64 do
      local pad = block(key, 1 + math.floor(at / 64), nonce)
      for i = at, math.min(at + 63, #text) do out[i] = string.char(bxor(text:byte(i), pad:byte(i - at + 1))) end
    end
    return concat(out)
  end

  -- Numbers of 130 bits as 17 of one byte: no product comes near what a double holds exactly.
  local function carry(limbs, from)
    local sum = 0
    for i = 0, 15 do
      sum = sum + from[i]
      limbs[i], sum = sum % 256, math.floor(sum / 256)
    end
    return sum + from[16]
  end

  local function poly1305(text, key)
    local r, h = { [16] = 0 }, {}
    for i = 0, 15 do r[i] = key:byte(i + 1) end
    for i = 3, 15, 4 do r[i] = band(r[i], 15) end
    for i = 4, 12, 4 do r[i] = band(r[i], 252) end
    for i = 0, 16 do h[i] = 0 end
    for at = 1, #text, 16 do
      local count = math.min(16, #text - at + 1)
      for i = 0, count - 1 do h[i] = h[i] + text:byte(at + i) end
      h[count] = h[count] + 1
      local x = {}
      for i = 0, 16 do
        local sum = 0
        for j = 0, i do sum = sum + h[j] * r[i - j] end
        for j = i + 1, 16 do sum = sum + 320 * h[j] * r[i + 17 - j] end
        x[i] = sum
      end
      local over = carry(h, x)
      h[16], h[0] = over % 4, h[0] + 5 * math.floor(over / 4)
      h[16] = carry(h, h)
    end
    local less = { [0] = h[0] + 5 }
    for i = 1, 16 do less[i] = h[i] end
    less[16] = carry(less, less)
    if less[16] >= 4 then h = less end
    for i = 0, 15 do h[i] = h[i] + key:byte(17 + i) end
    carry(h, h)
    local out = {}
    for i = 0, 15 do out[i + 1] = string.char(h[i]) end
    return concat(out)
  end

  local function padded(text) return text .. ("\0"):rep(-#text % 16) end
  local function length_le(text) return string.char(#text % 256, math.floor(#text / 256)) .. ("\0"):rep(6) end

  function open_aead(key, nonce, data, text)
    local body, tag = text:sub(1, -17), text:sub(-16)
    local signed = padded(data) .. padded(body) .. length_le(data) .. length_le(body)
    if poly1305(signed, block(key, 0, nonce)) ~= tag then return nil end
    return xored(body, key, nonce)
  end
end
