-- ------------------------------------------------------------------ frontier

-- A site's keys, in the order that every function of the frontier gets them.
local function site_keys(keys, first)
  return { meta = keys[first], urls = keys[first + 1], due = keys[first + 2], leases = keys[first + 3] }
end

-- Record of a URL: `depth why hops fetch attempts outcome content validators`; the last one is opaque here.
local function parse(record)
  local depth, why, hops, fetch, attempts, outcome, content, validators =
    string.match(record, '^(%d+) (%d) (%d+) (%d+) (%d+) (%S+) (%S+) (.*)$')
  if not depth then error('a URL has a broken record') end
  return {
    depth = tonumber(depth), why = tonumber(why), hops = hops, fetch = tonumber(fetch),
    attempts = tonumber(attempts), outcome = outcome, content = content, validators = validators,
  }
end

local function record(entry)
  return string.format('%.0f %d %s %.0f %.0f %s %s %s', entry.depth, entry.why, entry.hops, entry.fetch,
    entry.attempts, entry.outcome, entry.content, entry.validators)
end

-- A site's settings; nil if no seed named it. `turn`: not claimed from before then.
local function settings(site)
  local max_pages, max_depth, delay, floor, paused, last, rest =
    unpack(redis.call('HMGET', site.meta, 'max_pages', 'max_depth', 'delay_ms', 'floor_ms', 'paused', 'last', 'rest'))
  if not max_pages then return nil end
  local turn = tonumber(rest or '0')
  if last then turn = math.max(turn, tonumber(last) + math.max(tonumber(delay), tonumber(floor or '0'))) end
  return { max_pages = tonumber(max_pages), max_depth = tonumber(max_depth), paused = paused == '1', turn = turn }
end

local function earliest(key)
  local first = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
  if first[1] then return tonumber(first[2]), first[1] end
end

-- The URL that is next, from when on it may be claimed, and the set that holds it. A lease that has
-- ended stays where it is until the URL is claimed again: until then its claim can still be completed.
local function candidate(site)
  local due, due_url = earliest(site.due)
  local ended, ended_url = earliest(site.leases)
  if ended and (not due or ended < due) then return ended_url, ended, site.leases end
  return due_url, due, site.due
end

-- Notes when something of the site may be claimed next; `+inf`: nothing is.
local function index(sites, name, site)
  local of = settings(site)
  if not of then
    redis.call('ZREM', sites, name)
    return
  end
  local _, from = candidate(site)
  if of.paused or not from then
    redis.call('ZADD', sites, '+inf', name)
  else
    redis.call('ZADD', sites, math.max(of.turn, from), name)
  end
end

-- Every function below but `claim`: KEYS: index of the bucket's sites, meta, urls, due, leases,
-- outcomes; ARGV[1]: site.

-- ARGV: site, max_pages, max_depth, delay_ms, paused (0, 1), labels (JSON).
local function put_site(keys, args)
  redis.call('HSET', keys[2], 'max_pages', args[2], 'max_depth', args[3], 'delay_ms', args[4], 'paused', args[5],
    'labels', args[6])
  index(keys[1], args[1], site_keys(keys, 2))
  return redis.status_reply('OK')
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

-- Lowers the depth and strengthens the reason of a known URL. True if a page that was fetched wants
-- another look.
local function meet(site, url, held, depth, why)
  local entry = parse(held)
  local promoted = why > entry.why
    and (entry.content ~= '-' or entry.outcome == 'fetched' or entry.outcome == 'unchanged')
  if depth < entry.depth or why > entry.why then
    entry.depth, entry.why = math.min(depth, entry.depth), math.max(why, entry.why)
    redis.call('HSET', site.urls, url, record(entry))
  end
  return promoted
end

-- ARGV: site, now, validators of a new URL, then url, depth, why, hops for each.
-- Reply: new, known, over budget, too deep, unknown site, promoted URLs.
local function add_urls(keys, args)
  local site = site_keys(keys, 2)
  local of = settings(site)
  if not of then return { 0, 0, 0, 0, (#args - 3) / 4 } end
  local size = redis.call('HLEN', site.urls)
  local reply = { 0, 0, 0, 0, 0 }
  local function tally(what) reply[what] = reply[what] + 1 end
  for n = 4, #args, 4 do
    local url, depth, why = args[n], tonumber(args[n + 1]), tonumber(args[n + 2])
    local held = redis.call('HGET', site.urls, url)
    if held then
      tally(2)
      if meet(site, url, held, depth, why) then reply[#reply + 1] = url end
    elseif depth > of.max_depth then
      tally(4)
    elseif size >= of.max_pages then
      tally(3)
    else
      tally(1)
      size = size + 1
      local entry = { depth = depth, why = why, hops = args[n + 3], fetch = 0, attempts = 0, outcome = '-',
        content = '-', validators = args[3] }
      redis.call('HSET', site.urls, url, record(entry))
      redis.call('ZADD', site.due, args[2], url)
    end
  end
  if reply[1] > 0 then index(keys[1], args[1], site) end
  return reply
end

-- Claims one URL of a site. Returns it and its record, or nil.
local function take(site, now, lease_until)
  local of = settings(site)
  if not of or of.paused or of.turn > now then return nil end
  local url, from, set = candidate(site)
  if not url or from > now then return nil end
  redis.call('ZREM', set, url)
  local entry = parse(redis.call('HGET', site.urls, url) or '')
  entry.fetch = entry.fetch + 1
  redis.call('HSET', site.urls, url, record(entry))
  redis.call('ZADD', site.leases, lease_until, url)
  redis.call('HSET', site.meta, 'last', string.format('%.0f', now))
  return url, record(entry)
end

-- KEYS: index of the bucket's sites, then meta, urls, due, leases of each site.
-- ARGV: now, lease_until, sites. Reply: site, url, record of each claim.
local function claim(keys, args)
  local reply = {}
  for n = 3, #args do
    local site = site_keys(keys, 2 + (n - 3) * 4)
    local url, held = take(site, tonumber(args[1]), args[2])
    if url then
      reply[#reply + 1] = args[n]
      reply[#reply + 1] = url
      reply[#reply + 1] = held
    end
    index(keys[1], args[n], site)
  end
  return reply
end

-- The claim ends for good or until the next visit. ARGV from 7: outcome, content or `-`, keep the
-- content (0, 1), validators, next due or ''.
local function done(site, outcomes, url, entry, args)
  if entry.outcome ~= '-' and redis.call('HINCRBY', outcomes, entry.outcome, -1) == 0 then
    redis.call('HDEL', outcomes, entry.outcome)
  end
  redis.call('HINCRBY', outcomes, args[7], 1)
  entry.outcome, entry.attempts, entry.validators = args[7], 0, args[10]
  if args[9] == '0' then entry.content = args[8] end
  if args[11] ~= '' then redis.call('ZADD', site.due, args[11], url) end
end

-- ARGV: site, url, fetch, lease end, now, kind, then what the kind needs: `done` see there;
-- `retry`: due, counts (0, 1), the site rests until or ''; `released`: nothing.
-- The lease's end is compared, too: a site that was removed and came back counts its fetches anew.
-- Reply: 1 recorded, 0 lost.
local function complete(keys, args)
  local site, url = site_keys(keys, 2), args[2]
  local held, ends = redis.call('HGET', site.urls, url), redis.call('ZSCORE', site.leases, url)
  if not held or not ends or tonumber(ends) ~= tonumber(args[4]) then return 0 end
  local entry = parse(held)
  if string.format('%.0f', entry.fetch) ~= args[3] then return 0 end
  redis.call('ZREM', site.leases, url)
  if args[6] == 'done' then
    done(site, keys[6], url, entry, args)
  elseif args[6] == 'retry' then
    entry.attempts = entry.attempts + tonumber(args[8])
    redis.call('ZADD', site.due, args[7], url)
    local rest = tonumber(redis.call('HGET', site.meta, 'rest') or '0')
    if args[9] ~= '' and tonumber(args[9]) > rest then redis.call('HSET', site.meta, 'rest', args[9]) end
  else
    redis.call('ZADD', site.due, args[5], url)
  end
  redis.call('HSET', site.urls, url, record(entry))
  index(keys[1], args[1], site)
  return 1
end

-- ARGV: site, now. Reply: how many.
local function release_leases(keys, args)
  local site = site_keys(keys, 2)
  local leased = redis.call('ZRANGE', site.leases, 0, -1)
  for _, url in ipairs(leased) do redis.call('ZADD', site.due, args[2], url) end
  redis.call('UNLINK', site.leases)
  index(keys[1], args[1], site)
  return #leased
end

-- ARGV: URL. Reply: its record, when it is due, when its lease ends.
local function entry(keys, args)
  local site = site_keys(keys, 2)
  return {
    redis.call('HGET', site.urls, args[1]),
    redis.call('ZSCORE', site.due, args[1]),
    redis.call('ZSCORE', site.leases, args[1]),
  }
end

-- Reply: the same of all URLs.
local function entries(keys, args)
  local site = site_keys(keys, 2)
  return {
    redis.call('HGETALL', site.urls),
    redis.call('ZRANGE', site.due, 0, -1, 'WITHSCORES'),
    redis.call('ZRANGE', site.leases, 0, -1, 'WITHSCORES'),
  }
end

-- Reply: settings, numbers of URLs, due and leased, the first due, outcomes.
local function status(keys, args)
  local site = site_keys(keys, 2)
  return {
    redis.call('HGETALL', site.meta),
    redis.call('HLEN', site.urls),
    redis.call('ZCARD', site.due),
    redis.call('ZCARD', site.leases),
    redis.call('ZRANGE', site.due, 0, 0, 'WITHSCORES'),
    redis.call('HGETALL', keys[6]),
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
redis.register_function('nl2_release_leases', release_leases)
-- Makes room, so a full server runs it, too.
redis.register_function { function_name = 'nl2_remove_site', callback = remove_site, flags = { 'allow-oom' } }
