-- Bytes that are no frame, the same for all dialects. What means nothing anywhere (idle zeros, blanks) warns of nothing.
local QUIET = { ["idle delimiter"] = true, blank = true }

local function show_noise(dialect, each, range, tree)
  local fields, quiet = dialect.fields, QUIET[each.reason]
  local what = quiet and "idle" or "noise"
  local text = format("%d byte%s of %s: %s", each.len, each.len == 1 and "" or "s", what, each.reason)
  local label = dialect.label .. text
  local item = range and tree:add(dialect.proto, range, label) or tree:add(dialect.proto, label)
  if each.began then item:add(fields.began, each.began):set_generated() end
  item:add(fields.noise, ByteArray.new(each.bytes, true):tvb("Bytes of no frame")())
  local reason = item:add(fields.reason, each.reason)
  if not quiet then
    local expert = each.reason == "bad check" and dialect.experts.check or dialect.experts.noise
    item:add_proto_expert_info(expert, text)
  end
  return quiet and "" or text
end
