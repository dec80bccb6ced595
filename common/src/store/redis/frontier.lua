-- ------------------------------------------------------------------ frontier

-- Every function below but `claim`: KEYS: index of the bucket's sites, meta, urls, due, leases, the other
-- classes' due but the last, plans, what visits have taught, remembered URLs, the last class's due, outcomes; ARGV[1]: site.

-- ARGV: site, max_pages, max_depth, delay_ms, paused (0, 1), labels (JSON).
local function put_site(keys, args)
  redis.call('HSET', keys[2], 'max_pages', args[2], 'max_depth', args[3], 'delay_ms', args[4], 'paused', args[5],
    'labels', args[6])
  index(keys[1], args[1], site_keys(keys, 2))
  return first_turn(keys[1])
end

-- ARGV: site.
local function remove_site(keys, args)
  redis.call('UNLINK', unpack(keys, 2))
  redis.call('ZREM', keys[1], args[1])
  return redis.status_reply('OK')
end

-- ARGV: site, delay_ms.
local function raise_delay(keys, args)
  local site = site_keys(keys, 2)
  if not settings(site) then return redis.status_reply('OK') end
  local floor = redis.call('HGET', site.meta, 'floor_ms') or '0'
  if tonumber(args[2]) > tonumber(floor) then
    redis.call('HSET', site.meta, 'floor_ms', args[2])
    index(keys[1], args[1], site)
  end
  return redis.status_reply('OK')
end

-- Reply: what a site's visits have taught and the number of that value.
local function schedule(keys, args)
  return redis.call('HMGET', keys[10], 'number', 'bytes')
end

-- The site rests until a time, unless it rests for longer.
local function rest(site, until_time)
  local held = tonumber(redis.call('HGET', site.meta, 'rest') or '0')
  if until_time ~= '' and tonumber(until_time) > held then redis.call('HSET', site.meta, 'rest', until_time) end
end

-- ARGV: site, expected number, bytes, requests a day or '', delay, now, the site rests until or '', requests beside claims.
-- Reply: 1 put, 0 another was first; and the bucket's first turn, as in all that follows.
local function put_schedule(keys, args)
  local site = site_keys(keys, 2)
  local of = settings(site)
  if not of or (redis.call('HGET', keys[10], 'number') or '0') ~= args[2] then return { 0, first_turn(keys[1]) } end
  redis.call('HSET', keys[10], 'number', integer(tonumber(args[2]) + 1), 'bytes', args[3])
  redis.call('HSET', site.meta, 'slow_ms', args[5])
  rest(site, args[7])
  local now = tonumber(args[6])
  if args[4] == '' then
    redis.call('HDEL', site.meta, 'per_day', 'milli', 'at')
  elseif not of.bucket then
    local bucket = { per_day = tonumber(args[4]), at = now }
    bucket.milli = capacity(bucket)
    put_bucket(site, bucket)
  elseif of.bucket.per_day ~= tonumber(args[4]) then
    local bucket = { per_day = tonumber(args[4]), at = math.max(of.bucket.at, now) }
    bucket.milli = math.min(tokens(of.bucket, now), capacity(bucket))
    put_bucket(site, bucket)
  end
  -- Callers of an older version do not tell.
  local beside_claims = tonumber(args[8] or '0')
  if beside_claims > 0 and args[4] ~= '' then
    local bucket = settings(site).bucket
    for _ = 1, beside_claims do take_token(bucket, now) end
    put_bucket(site, bucket)
  end
  index(keys[1], args[1], site)
  return { 1, first_turn(keys[1]) }
end

-- A known URL is asked for again if `again` says so: `now`, or the time of a change after its last fetch.
local function revive(site, url, entry, again, class, schedule, now)
  if again == '-' or redis.call('ZSCORE', site.leases, url) then return false end
  local plan = plan_of(site, url)
  local queue = site.queues[plan.class + 1]
  local due = redis.call('ZSCORE', queue, url)
  if again == 'now' then
    redis.call('ZREM', queue, url)
    plan.schedule, entry.attempts = schedule, 0
    wait(site, url, plan, now, class)
    put_plan(site, url, plan)
    return true
  end
  if not due or plan.seen == '0' or tonumber(plan.seen) >= tonumber(again) then return false end
  redis.call('ZREM', queue, url)
  wait(site, url, plan, integer(math.min(tonumber(due), tonumber(now))), '2')
  put_plan(site, url, plan)
  return true
end

-- Lowers the depth and strengthens the reason of a known URL. True if a page that was fetched wants
-- another look.
local function meet(site, url, held, new)
  local entry = parse(held)
  local promoted = new.why > entry.why
    and (entry.content ~= '-' or entry.outcome == 'fetched' or entry.outcome == 'unchanged')
  local revived = revive(site, url, entry, new.again, new.class, new.schedule, new.now)
  if revived or new.depth < entry.depth or new.why > entry.why then
    entry.depth, entry.why = math.min(new.depth, entry.depth), math.max(new.why, entry.why)
    redis.call('HSET', site.urls, url, record(entry))
  end
  return promoted, revived
end

-- How many URLs the site's page budget admits until the day ends that began with the first of them.
local function budget(site, of, now)
  local began, admitted = unpack(redis.call('HMGET', site.meta, 'day_began', 'admitted'))
  if not began or now - tonumber(began) >= DAY then return { began = now, admitted = 0, most = of.max_pages } end
  return { began = tonumber(began), admitted = tonumber(admitted), most = of.max_pages }
end

-- A URL leaves the frontier; its name is remembered.
local function leave(site, url, name, now)
  redis.call('HDEL', site.urls, url)
  redis.call('HDEL', site.plans, url)
  remember(site, name, day_of(now))
end

-- Whether an added URL is known because it has left: then it was shown today. One that is to be asked for now
-- comes back.
local function is_remembered(site, new)
  local today = day_of(new.now)
  local day = shown(site, new.name, today)
  if not day then return false end
  if new.again == 'now' then return false end
  if day < today then remember(site, new.name, today) end
  return true
end

-- ARGV: site, now, validators of a new URL, then url, depth, why, hops, class, again, schedule, name for each.
-- Reply: new, known, over budget, too deep, unknown site, first turn, promoted URLs.
local function add_urls(keys, args)
  local site = site_keys(keys, 2)
  local of = settings(site)
  if not of then return { 0, 0, 0, 0, (#args - 3) / 8, '' } end
  local left = budget(site, of, tonumber(args[2]))
  local reply = { 0, 0, 0, 0, 0, '' }
  local function tally(what) reply[what] = reply[what] + 1 end
  local changed = false
  for n = 4, #args, 8 do
    local url = args[n]
    local new = { depth = tonumber(args[n + 1]), why = tonumber(args[n + 2]), class = args[n + 4], again = args[n + 5],
      schedule = args[n + 6], name = args[n + 7], now = args[2] }
    local held = redis.call('HGET', site.urls, url)
    if held then
      tally(2)
      local promoted, revived = meet(site, url, held, new)
      if promoted then reply[#reply + 1] = url end
      changed = changed or revived
    elseif is_remembered(site, new) then
      tally(2)
    elseif new.depth > of.max_depth then
      tally(4)
    -- The backlog and the past leave half of the budget to the news.
    elseif left.admitted >= ((new.class == '3' or new.class == '4') and math.ceil(left.most / 2) or left.most) then
      tally(3)
    else
      tally(1)
      left.admitted = left.admitted + 1
      -- A URL that comes back counts on from its earlier claims.
      local entry = { depth = new.depth, why = new.why, hops = args[n + 3], fetch = day_of(new.now) * 1000, attempts = 0, outcome = '-',
        content = '-', validators = args[3] }
      redis.call('HSET', site.urls, url, record(entry))
      forget_name(site, new.name)
      local plan = { seen = '0', schedule = new.schedule }
      wait(site, url, plan, args[2], new.class)
      put_plan(site, url, plan)
    end
  end
  if reply[1] > 0 then
    redis.call('HSET', site.meta, 'day_began', integer(left.began), 'admitted', integer(left.admitted))
  end
  if reply[1] > 0 or changed then index(keys[1], args[1], site) end
  reply[6] = first_turn(keys[1])
  return reply
end

-- Claims one URL of a site. Returns it, its record, its plan, when it was due, the allowance and the requests
-- of the last ten minutes; or nil. The settings become those after the claim.
local function take(site, of, now, lease_until)
  if not of or of.paused or of.turn > now then return nil end
  local url, due, set = candidate(site, of, now)
  if not url then return nil end
  redis.call('ZREM', set, url)
  local entry = parse(redis.call('HGET', site.urls, url) or '')
  entry.fetch = entry.fetch + 1
  local claimed = record(entry)
  redis.call('HSET', site.urls, url, claimed)
  redis.call('ZADD', site.leases, lease_until, url)
  local recent, fields = count(site, now)
  local allowance = ''
  if of.bucket then
    take_token(of.bucket, now)
    local per_day, milli, at = integer(of.bucket.per_day), integer(of.bucket.milli), integer(of.bucket.at)
    for _, part in ipairs({ 'per_day', per_day, 'milli', milli, 'at', at }) do fields[#fields + 1] = part end
    allowance = per_day .. ' ' .. milli .. ' ' .. at
  end
  redis.call('HSET', site.meta, 'last', integer(now), unpack(fields))
  of.turn = math.max(of.turn, now + of.delay)
  return url, claimed, plan_text(plan_of(site, url)), integer(due), allowance, integer(recent)
end

-- KEYS: index of the bucket's sites, then the eleven keys of each site. ARGV: now, lease_until, sites.
-- Reply: site and what `take` returns, for each claim; the bucket's first turn.
local function claim(keys, args)
  local reply = {}
  for n = 3, #args do
    local site = site_keys(keys, 2 + (n - 3) * 11)
    local of = settings(site)
    local taken = { take(site, of, tonumber(args[1]), args[2]) }
    if taken[1] then
      reply[#reply + 1] = args[n]
      for _, part in ipairs(taken) do reply[#reply + 1] = part end
    end
    index(keys[1], args[n], site, of)
  end
  reply[#reply + 1] = first_turn(keys[1])
  return reply
end

-- The claim ends for good or until the next visit. ARGV from 7: outcome, content or `-`, keep the
-- content (0, 1), validators, next due or '', its class or '', schedule.
local function done(site, outcomes, url, entry, plan, args)
  if entry.outcome ~= '-' and redis.call('HINCRBY', outcomes, entry.outcome, -1) == 0 then
    redis.call('HDEL', outcomes, entry.outcome)
  end
  redis.call('HINCRBY', outcomes, args[7], 1)
  entry.outcome, entry.attempts, entry.validators = args[7], 0, args[10]
  if args[9] == '0' then entry.content = args[8] end
  plan.schedule = args[13]
  if args[13] ~= '' and (args[7] == 'fetched' or args[7] == 'unchanged') then plan.seen = args[5] end
  wait(site, url, plan, args[11], args[12])
end

-- No request was sent: the turn and the token are given back. ARGV from 7: next due or '', class or '', schedule.
local function skipped(site, url, plan, args)
  plan.schedule = args[9]
  wait(site, url, plan, args[7], args[8])
  redis.call('HDEL', site.meta, 'last')
  if redis.call('HEXISTS', site.meta, 'milli') == 1 then redis.call('HINCRBY', site.meta, 'milli', TOKEN) end
end

-- A scheduled URL that is not asked for again leaves.
local function is_over(kind, args)
  return (kind == 'done' and args[11] == '' and args[13] ~= '') or (kind == 'skipped' and args[7] == '' and args[9] ~= '')
end

-- ARGV: site, url, fetch, lease end, now, kind, then what the kind needs (`done` and `skipped` see there; `retry`:
-- due, counts (0, 1), the site rests until or ''; `released`: nothing), and the URL's name.
-- The lease's end is compared, too: a site that was removed and came back counts its fetches anew.
-- Reply: 1 recorded, 0 lost.
local function complete(keys, args)
  local site, url = site_keys(keys, 2), args[2]
  local held, ends = redis.call('HGET', site.urls, url), redis.call('ZSCORE', site.leases, url)
  if not held or not ends or tonumber(ends) ~= tonumber(args[4]) then return { 0, first_turn(keys[1]) } end
  local entry, plan = parse(held), plan_of(site, url)
  if integer(entry.fetch) ~= args[3] then return { 0, first_turn(keys[1]) } end
  redis.call('ZREM', site.leases, url)
  if args[6] == 'done' then
    done(site, keys[13], url, entry, plan, args)
  elseif args[6] == 'skipped' then
    skipped(site, url, plan, args)
  elseif args[6] == 'retry' then
    entry.attempts = entry.attempts + tonumber(args[8])
    wait(site, url, plan, args[7], '')
    rest(site, args[9])
  else
    wait(site, url, plan, args[5], '')
  end
  if is_over(args[6], args) then
    leave(site, url, args[#args], args[5])
  else
    redis.call('HSET', site.urls, url, record(entry))
    put_plan(site, url, plan)
  end
  index(keys[1], args[1], site)
  return { 1, first_turn(keys[1]) }
end

-- ARGV: site, url, fetch, next due or '', class or '', schedule, when the page was fetched, name.
-- Reply: 1 noted, 0 not.
local function note(keys, args)
  local site, url = site_keys(keys, 2), args[2]
  local held = redis.call('HGET', site.urls, url)
  if not held or redis.call('ZSCORE', site.leases, url) or integer(parse(held).fetch) ~= args[3] then return { 0, first_turn(keys[1]) } end
  local plan = plan_of(site, url)
  redis.call('ZREM', site.queues[plan.class + 1], url)
  plan.schedule = args[6]
  if args[4] == '' then
    leave(site, url, args[8], args[7])
  else
    wait(site, url, plan, args[4], args[5])
    put_plan(site, url, plan)
  end
  index(keys[1], args[1], site)
  return { 1, first_turn(keys[1]) }
end

-- ARGV: site, url, name. Reply: 1 if the URL was known or remembered.
local function forget_url(keys, args)
  local site, url = site_keys(keys, 2), args[2]
  local known = redis.call('HDEL', site.urls, url) == 1
  redis.call('HDEL', site.plans, url)
  redis.call('ZREM', site.leases, url)
  for _, queue in ipairs(site.queues) do redis.call('ZREM', queue, url) end
  known = forget_name(site, args[3]) or known
  index(keys[1], args[1], site)
  return known and 1 or 0
end

-- ARGV: name, now. Reply: the day on which a URL was last shown that has left, or -1.
local function left(keys, args)
  return shown(site_keys(keys, 2), args[1], day_of(args[2])) or -1
end

-- ARGV: site, now. Reply: how many.
local function release_leases(keys, args)
  local site = site_keys(keys, 2)
  local leased = redis.call('ZRANGE', site.leases, 0, -1)
  for _, url in ipairs(leased) do wait(site, url, plan_of(site, url), args[2], '') end
  redis.call('UNLINK', site.leases)
  index(keys[1], args[1], site)
  return { #leased, first_turn(keys[1]) }
end

-- ARGV: URL. Reply: its record, its plan, when it is due, when its lease ends.
local function entry(keys, args)
  local site = site_keys(keys, 2)
  return {
    redis.call('HGET', site.urls, args[1]),
    redis.call('HGET', site.plans, args[1]),
    redis.call('ZSCORE', site.queues[plan_of(site, args[1]).class + 1], args[1]),
    redis.call('ZSCORE', site.leases, args[1]),
  }
end

-- Reply: the same of all URLs.
local function entries(keys, args)
  local site = site_keys(keys, 2)
  local due = {}
  for _, queue in ipairs(site.queues) do
    for _, part in ipairs(redis.call('ZRANGE', queue, 0, -1, 'WITHSCORES')) do due[#due + 1] = part end
  end
  return {
    redis.call('HGETALL', site.urls),
    redis.call('HGETALL', site.plans),
    due,
    redis.call('ZRANGE', site.leases, 0, -1, 'WITHSCORES'),
  }
end

-- ARGV: site. Reply: settings, numbers of URLs, due and leased, the first due or '', when the site can be claimed
-- or '', outcomes, number of remembered URLs.
local function status(keys, args)
  local site = site_keys(keys, 2)
  local waiting, first = 0, nil
  for _, queue in ipairs(site.queues) do
    waiting = waiting + redis.call('ZCARD', queue)
    local due = earliest(queue)
    if due then first = math.min(first or math.huge, due) end
  end
  return {
    redis.call('HGETALL', site.meta),
    redis.call('HLEN', site.urls),
    waiting,
    redis.call('ZCARD', site.leases),
    first and integer(first) or '',
    redis.call('ZSCORE', keys[1], args[1]) or '',
    redis.call('HGETALL', keys[13]),
    redis.call('HGET', site.remembered, 'n') or '0',
  }
end

-- Reads are functions, too: a full server refuses every other transaction.
redis.register_function { function_name = 'nl2_entry', callback = entry, flags = { 'no-writes' } }
redis.register_function { function_name = 'nl2_entries', callback = entries, flags = { 'no-writes' } }
redis.register_function { function_name = 'nl2_status', callback = status, flags = { 'no-writes' } }
redis.register_function('nl2_put_site', put_site)
redis.register_function('nl2_raise_delay', raise_delay)
redis.register_function('nl2_add', add_urls)
redis.register_function('nl2_claim', claim)
redis.register_function('nl2_complete', complete)
redis.register_function('nl2_note', note)
redis.register_function { function_name = 'nl2_forget_url', callback = forget_url, flags = { 'allow-oom' } }
redis.register_function { function_name = 'nl2_left', callback = left, flags = { 'no-writes' } }
redis.register_function('nl2_put_schedule', put_schedule)
redis.register_function { function_name = 'nl2_schedule', callback = schedule, flags = { 'no-writes' } }
redis.register_function('nl2_release_leases', release_leases)
-- Makes room, so a full server runs it, too.
redis.register_function { function_name = 'nl2_remove_site', callback = remove_site, flags = { 'allow-oom' } }
