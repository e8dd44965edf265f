-- Who answers what. A talk is one line with both its directions; every frame is looked at once, in the order of the file.
local COMMAND, REPLY, PROGRESS, EVENT, ACK, NAK, LINK = 1, 2, 3, 4, 5, 6, 7

local function note(seen, expert, text)
  seen.notes[#seen.notes + 1] = { expert, text }
end

local function take_sequence(talk, frame, seen)
  local last, now = talk.sequence[frame.from], frame.sequence
  talk.sequence[frame.from] = now
  if last == now and not frame.begins then
    note(seen, "duplicate", "the link sequence of the frame before: sent twice, or heard twice")
  elseif last and now ~= (last + 1) % 256 and not frame.begins then
    local lost = (now - last - 1) % 256
    -- Half the count further is a step back: the sender started anew.
    if lost < 128 then
      note(seen, "lost", lost == 1 and "one frame before this one is missing in this direction"
        or format("%d frames before this one are missing in this direction", lost))
    else
      note(seen, "restart", "the sender counts its frames anew")
    end
  end
end

local function take_command(talk, frame, seen, at)
  local old = talk.commands[frame.request]
  if old and old.content == frame.content and at - old.at < TDP.remembered_s then
    old.tries = old.tries + 1
    seen.entry, seen.retry_of, seen.sending = old, old.number, { number = seen.number, at = at }
    table.insert(old.open, seen.sending)
    note(seen, "retry", format("sent again under its request id, time %d", old.tries))
    return
  end
  if old and not old.reply and old.number ~= seen.number and at - old.at < TDP.remembered_s then
    note(seen, "reused", "a request id that another command had")
  end
  seen.sending = { number = seen.number, at = at }
  seen.entry = { number = seen.number, at = at, content = frame.content, name = frame.name, message = frame.message,
    events = {}, tries = 1, role = frame.role, open = { seen.sending } }
  talk.commands[frame.request] = seen.entry
end

-- An answer is for every sending that has none yet: late is what is late for the first of them.
local function take_time(entry, seen, at)
  local first, last = entry.open[1], entry.open[#entry.open]
  if not first then return end
  seen.request_in, seen.took = first.number, at - first.at
  if last ~= first then seen.took_retry = at - last.at end
  for _, sending in ipairs(entry.open) do sending.reply = seen.number end
  entry.open = {}
end

local function take_answer(talk, frame, seen, at)
  local entry = talk.commands[frame.request]
  if not entry or (frame.kind ~= EVENT and entry.message ~= frame.message) then
    if frame.kind == REPLY then note(seen, "unasked", "nobody is seen to wait for this reply") end
    return
  end
  seen.request_in = entry.number
  if frame.kind == REPLY or frame.kind == NAK then
    take_time(entry, seen, at)
    if entry.reply and frame.kind == REPLY then
      seen.repeat_of = entry.reply
      note(seen, "repeated", "this command was answered before; the reply comes again")
    else
      entry.reply = seen.number
    end
    if frame.kind == REPLY and frame.done and entry.role then talk.role = entry.role end
  else
    seen.since = at - entry.at
    if frame.kind == EVENT then entry.events[#entry.events + 1] = seen.number end
  end
end

local function session_of(talk, id)
  local session = talk.sessions[id]
  if not session then
    session = { newest = nil, events = {}, waiting = {} }
    talk.sessions[id] = session
  end
  return session
end

local function take_event(talk, frame, seen)
  local session = session_of(talk, frame.old_session or talk.session or 0)
  local old = session.events[frame.number]
  if old and old.payload == frame.payload then
    seen.repeat_of, seen.event = old.number, old
    note(seen, "again", "this event was sent before, with the same bytes")
    return
  end
  if old then
    note(seen, "restart", "an event with this number was sent before, with other bytes: the device restarted")
  elseif session.newest and frame.number > session.newest + 1 then
    local first, last = session.newest + 1, frame.number - 1
    note(seen, "missing", first == last and format("event %d is missing before this one", first)
      or format("events %d to %d are missing before this one", first, last))
  end
  seen.event = { number = seen.number, payload = frame.payload }
  session.events[frame.number], session.waiting[frame.number] = seen.event, seen.event
  session.newest = math.max(session.newest or 0, frame.number)
end

local function take_ack(talk, frame, seen)
  local session = talk.sessions[frame.session]
  if not session then return end
  for number, event in pairs(session.waiting) do
    if number <= frame.up_to then
      event.ack, session.waiting[number] = seen.number, nil
    end
  end
end

local function enter_session(talk, frame, seen)
  if talk.session == frame.session then return end
  if talk.session then
    note(seen, "restart", format("the session changed from %08X to %08X: the device restarted", talk.session, frame.session))
    talk.role, talk.sequence.device = nil, nil
  end
  talk.session = frame.session
  if talk.sessions[0] then talk.sessions[frame.session], talk.sessions[0] = talk.sessions[0], nil end
end

-- What is known of a frame beyond its own bytes.
local function look_at(talk, frame, number, at)
  local seen = { number = number, notes = {} }
  if not frame.layout then
    take_sequence(talk, frame, seen)
    return seen
  end
  if frame.names_session then enter_session(talk, frame, seen) end
  if frame.class then talk.class = frame.class end
  take_sequence(talk, frame, seen)
  if frame.calls then take_call(talk, frame.by_name.ephemeral) end
  if frame.name == "SealAnswer" then take_answer_alone(talk) end
  if frame.kind == COMMAND then
    take_command(talk, frame, seen, at)
  elseif frame.request ~= 0 then
    take_answer(talk, frame, seen, at)
  end
  if frame.kind == EVENT and frame.number then take_event(talk, frame, seen) end
  if frame.kind == ACK and frame.up_to then take_ack(talk, frame, seen) end
  if frame.hello then
    talk.hello = { number = number, at = at }
    seen.sending = talk.hello
  end
  if frame.hello_reply and talk.hello then
    seen.request_in = talk.hello.number
    if not talk.hello.reply then talk.hello.reply, seen.took = number, at - talk.hello.at end
  end
  seen.class, seen.session, seen.role = talk.class, talk.session, talk.role
  return seen
end
