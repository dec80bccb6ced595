#!lua name=newslode_1
-- The served stores' only writer. Each function does one call of the traits Frontier or SiteState on
-- one site (or one bucket of sites), so it is atomic, and all its keys share one hash tag.
--
-- A changed body needs a new number, in the library's name and in front of every function (function
-- names are global on a server): then old and new services can run beside each other.
--
-- Numbers: Lua knows doubles only. Times, depths and fetch numbers stay below 2^53 (the callers see to
-- it). Cells are any 64-bit integer: see `add`.

-- ------------------------------------------------------------------ 64-bit integers

-- Up to here two doubles add exactly: 2 * 10^15 < 2^53.
local EXACT = 1e15
local WORD = 4294967296

-- Decimal text to two's complement, as two 32-bit halves.
local function halves(text)
  local hi, lo = 0, 0
  local sign, digits = string.match(text, '^(-?)(%d+)$')
  if not digits then error('`' .. text .. '` is not an integer') end
  for n = 1, #digits do
    lo = lo * 10 + (string.byte(digits, n) - 48)
    hi = (hi * 10 + math.floor(lo / WORD)) % WORD
    lo = lo % WORD
  end
  if sign == '-' then
    hi, lo = WORD - 1 - hi, WORD - lo
    if lo == WORD then hi, lo = (hi + 1) % WORD, 0 end
  end
  return hi, lo
end

-- Two's complement to decimal text. A million at a time: 10^6 * 2^32 is exact in a double.
local function decimal(hi, lo)
  local sign = ''
  if hi >= WORD / 2 then
    sign, hi, lo = '-', WORD - 1 - hi, WORD - lo
    if lo == WORD then hi, lo = hi + 1, 0 end
  end
  local digits = ''
  repeat
    local low = (hi % 1000000) * WORD + lo
    hi = math.floor(hi / 1000000)
    local quotient = math.floor(low / 1000000)
    digits = string.format('%06d', low - quotient * 1000000) .. digits
    hi, lo = hi + math.floor(quotient / WORD), quotient % WORD
  until hi == 0 and lo == 0
  digits = string.gsub(digits, '^0+(%d)', '%1')
  return sign .. digits
end

-- A count is a number where that is exact, else its decimal text.
local function count(text)
  if not text then return 0 end
  if #text > 15 then return text end
  return tonumber(text) or error('`' .. text .. '` is not an integer')
end

local function text(number)
  return type(number) == 'number' and string.format('%.0f', number) or number
end

-- The sum of two counts, wrapping as 64-bit integers do.
local function add(a, b)
  if type(a) == 'number' and type(b) == 'number' then
    local sum = a + b
    if sum <= EXACT and sum >= -EXACT then return sum end
    return text(sum)
  end
  local a_hi, a_lo = halves(text(a))
  local b_hi, b_lo = halves(text(b))
  local lo = a_lo + b_lo
  return count(decimal((a_hi + b_hi + math.floor(lo / WORD)) % WORD, lo % WORD))
end

-- ------------------------------------------------------------------ mined state

-- Fields a call of redis takes at once: Lua's stack holds 8000 arguments.
local SLICE = 2000

-- The held values of many fields; absent ones are false.
local function read(key, fields)
  local values = {}
  for from = 1, #fields, SLICE do
    local part = redis.call('HMGET', key, unpack(fields, from, math.min(from + SLICE - 1, #fields)))
    for n = 1, #part do values[from + n - 1] = part[n] end
  end
  return values
end

-- Runs a command with many arguments, `2 * SLICE` at a time.
local function write(command, key, arguments)
  for from = 1, #arguments, 2 * SLICE do
    redis.call(command, key, unpack(arguments, from, math.min(from + 2 * SLICE - 1, #arguments)))
  end
end

-- Whether one fetch number is larger than another; as texts, so all 64 bits count.
local function newer(a, b)
  return #a > #b or (#a == #b and a > b)
end

-- Judges the changes in order. Returns the verdicts, the pages' new versions and the sum of the
-- counted deltas by the number of the cell.
local function judge(versions, changes)
  local urls, held, fresh, sums, verdicts = {}, {}, {}, {}, {}
  for n = 1, #changes do urls[n] = changes[n][1] end
  for n, version in ipairs(read(versions, urls)) do held[urls[n]] = version end
  for n, change in ipairs(changes) do
    local url, expected, fetch, content, moves = unpack(change)
    local stored = held[url]
    if stored and not newer(fetch, string.match(stored, '^%d+')) then
      verdicts[n] = 'S'
    elseif (stored or '') ~= expected then
      verdicts[n] = 'C' .. (stored or '')
    else
      verdicts[n] = 'A'
      held[url] = fetch .. ' ' .. content
      fresh[url] = held[url]
      for m = 1, #moves, 2 do
        local cell = moves[m]
        sums[cell] = add(sums[cell] or 0, moves[m + 1])
      end
    end
  end
  return verdicts, fresh, sums
end

-- What to set and what to delete in one table: { key, fields and values, fields }.
local function moved(key, names, first, sums)
  local fields, by = {}, {}
  for n, name in ipairs(names) do
    local sum = sums[first + n]
    if sum and sum ~= 0 then
      fields[#fields + 1] = name
      by[#by + 1] = sum
    end
  end
  local set, gone = {}, {}
  for n, value in ipairs(read(key, fields)) do
    local sum = add(count(value), by[n])
    if sum == 0 then
      gone[#gone + 1] = fields[n]
    else
      set[#set + 1] = fields[n]
      set[#set + 1] = text(sum)
    end
  end
  return { key, set, gone }
end

-- KEYS: versions, counters of the bucket's sites, counters of its forgotten sites, the tables.
-- ARGV: site, batch = msgpack { { a table's cells, … }, { { url, expected, fetch, content, { cell, by, … } }, … } };
-- cells are numbered from 1 on through all tables.
-- Everything is read and judged before the first write, so an error leaves all as it was.
local function apply(keys, args)
  local names, changes = unpack(cmsgpack.unpack(args[2]))
  local verdicts, fresh, sums = judge(keys[1], changes)
  local pages = {}
  for url, version in pairs(fresh) do
    pages[#pages + 1] = url
    pages[#pages + 1] = version
  end
  if #pages == 0 then return verdicts end
  local tables, first, changed = {}, 0, 0
  for n, cells in ipairs(names) do
    tables[n] = moved(keys[3 + n], cells, first, sums)
    first = first + #cells
    if #tables[n][2] + #tables[n][3] > 0 then changed = 1 end
  end
  for _, table in ipairs(tables) do
    write('HSET', table[1], table[2])
    write('HDEL', table[1], table[3])
  end
  write('HSET', keys[1], pages)
  local before = redis.call('HGET', keys[3], args[1])
  if before then
    redis.call('HSET', keys[2], args[1], before)
    redis.call('HDEL', keys[3], args[1])
  end
  redis.call('HINCRBY', keys[2], args[1], changed)
  return verdicts
end

-- KEYS as `apply`; ARGV: site. The counter is kept aside and goes on growing if the site comes again:
-- whoever remembers it must see that all has changed.
local function forget(keys, args)
  local counter = redis.call('HGET', keys[2], args[1])
  if counter then
    redis.call('HSET', keys[3], args[1], counter)
    redis.call('HDEL', keys[2], args[1])
  end
  redis.call('UNLINK', keys[1], unpack(keys, 4))
  return redis.status_reply('OK')
end

-- KEYS: the value; ARGV: expected version or '', bytes.
local function put_value(keys, args)
  if (redis.call('HGET', keys[1], 'version') or '') ~= args[1] then return false end
  redis.call('HSET', keys[1], 'bytes', args[2])
  return redis.call('HINCRBY', keys[1], 'version', 1)
end

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

redis.register_function('nl1_apply', apply)
redis.register_function('nl1_put_value', put_value)
redis.register_function('nl1_put_site', put_site)
redis.register_function('nl1_raise_delay', raise_delay)
redis.register_function('nl1_add', add_urls)
redis.register_function('nl1_claim', claim)
redis.register_function('nl1_complete', complete)
redis.register_function('nl1_release_leases', release_leases)
-- These two make room, so a full server runs them, too.
redis.register_function { function_name = 'nl1_forget', callback = forget, flags = { 'allow-oom' } }
redis.register_function { function_name = 'nl1_remove_site', callback = remove_site, flags = { 'allow-oom' } }
