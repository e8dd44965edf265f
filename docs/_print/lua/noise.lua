-- Bytes that are no frame, the same for all dialects.
local function bytes_text(count) return format("%d byte%s", count, count == 1 and "" or "s") end

local function show_noise(dialect, each, range, tree, context)
  local fields, quiet = dialect.fields, QUIET[each.reason]
  local text = format("%s of %s: %s", bytes_text(each.len), quiet and "idle" or "noise", each.reason)
  local label = dialect.label .. text
  local item = range and tree:add(dialect.proto, range, label) or tree:add(dialect.proto, label)
  if each.began then item:add(fields.began, each.began):set_generated() end
  item:add(quiet and fields.idle or fields.noise, ByteArray.new(each.bytes, true):tvb("Bytes of no frame")())
  if quiet then return "" end
  item:add(fields.reason, each.reason)
  if each.reason ~= "bad check" then
    item:add_proto_expert_info(dialect.experts.noise, text)
    return text
  end
  item:add_proto_expert_info(dialect.experts.check, text)
  local says = each.frame and dialect.show_bad and dialect.show_bad(each, item, context)
  if not says then return text end
  item:append_text("; taken as it is: " .. says)
  return format("%s; taken as it is: %s", text, says)
end
